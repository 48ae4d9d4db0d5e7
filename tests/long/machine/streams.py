"""Opens a start's stdout and stderr, and reads its output."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading

from machine.start import STREAMS

CLOSING = {"closed": ">&- 2>&-", "out closed": ">&-", "err closed": "2>&-"}
FILES = ("file", "append", "offset")
OFFSETS = {"out": 3, "err": 100}


class Streams:
    """argv and stdin, out, err: for Popen. started(): is called when the process runs. said(): its
    output, after its end."""

    def __init__(self, start, aside):
        self.names = {side: f"{aside}/{side}" for side in OFFSETS}
        self.kinds = dict(zip(OFFSETS, STREAMS[start.streams]))
        self.opened, self.read, self.reader, self.ours = [], [], None, None
        self.argv, closing = list(start.argv), CLOSING.get(start.streams)
        if closing:
            self.argv = ["/bin/sh", "-c", f'exec "$@" {closing}', "sh"] + self.argv
        self.width, self.theirs = start.width, None
        if set(self.kinds.values()) & set(FILES):
            for side in self.names:
                kind = FILES[0] if self.kinds[side] == "same" else self.kinds[side]
                with open(self.names[side], "wb") as file:
                    file.write(b"before\n" if kind in FILES[1:] else b"")
        self.out = self.side("out")
        self.err = self.side("err")
        self.stdin = subprocess.DEVNULL
        if start.streams == "typed":
            self.stdin = self.theirs
        elif os.path.exists(start.stdin):
            self.stdin = self.close_later(os.open(start.stdin, os.O_RDONLY))

    def close_later(self, fd):
        self.opened.append(fd)
        return fd

    def side(self, side):
        kind = self.kinds[side]
        if kind == "same":
            return subprocess.STDOUT if self.out == subprocess.PIPE else self.out
        if kind == "pipe":
            return subprocess.PIPE
        if kind == "null":
            return subprocess.DEVNULL
        if kind == "terminal":
            return self.terminal()
        flags = os.O_RDWR | (os.O_APPEND if kind == "append" else 0)
        fd = self.close_later(os.open(self.names[side], flags))
        if kind == "offset":
            os.lseek(fd, OFFSETS[side], os.SEEK_SET)
        return fd

    def terminal(self):
        """Opens one terminal for all streams."""
        if self.theirs is None:
            self.ours, self.theirs = pty.openpty()
            self.close_later(self.theirs)
            size = struct.pack("HHHH", 24 if self.width else 0, self.width, 0, 0)
            fcntl.ioctl(self.ours, termios.TIOCSWINSZ, size)
        return self.theirs

    def close(self):
        """Closes our copies of the process's descriptors."""
        for fd in self.opened:
            os.close(fd)

    def started(self):
        if self.ours is not None:
            self.reader = threading.Thread(target=output_of, args=(self.ours, self.read))
            self.reader.start()

    def said(self, out, err):
        """The output of both streams. out, err: output of pipes. A terminal's output counts for the
        first stream on it."""
        if self.reader:
            self.reader.join(10)
            os.close(self.ours)
        said = dict(zip(self.names, (out or b"", err or b"")))
        terminal = b"".join(self.read)
        for side, kind in self.kinds.items():
            if kind == "terminal":
                said[side], terminal = terminal, b""
            elif kind in FILES or kind == "same" and self.kinds["out"] == "file":
                with open(self.names[side], "rb") as file:
                    said[side] = file.read()
        return tuple(said.values())


def output_of(fd, into):
    """Reads a terminal's other end until no process has it open."""
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            return
        if not data:
            return
        into.append(data)
