#!/usr/bin/env python3
"""on_pty.py [-w COLS] [-r ROWS] [-i] [-o] [-e] CMD...: runs CMD with the named standard streams
(default: all three) on a new terminal, prints what the terminal got, exits as CMD did."""
import fcntl
import os
import pty
import struct
import sys
import termios

cols, rows, which, args = 80, 25, [], sys.argv[1:]
while args and args[0].startswith("-"):
    opt = args.pop(0)
    if opt == "-w":
        cols = int(args.pop(0))
    elif opt == "-r":
        rows = int(args.pop(0))
    else:
        which.append({"-i": 0, "-o": 1, "-e": 2}[opt])
which = which or [0, 1, 2]

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in which:
        os.dup2(slave, fd)
    os.close(master)
    if slave > 2:
        os.close(slave)
    try:
        os.execvp(args[0], args)
    except OSError as e:
        sys.stderr.write("%s: %s\n" % (args[0], e))
        os._exit(127)
os.close(slave)
got = []
while True:
    try:
        data = os.read(master, 65536)
    except OSError:  # EIO: the last one closed the terminal
        break
    if not data:
        break
    got.append(data)
status = os.waitpid(pid, 0)[1]
# At the end, so that CMD's output to other places keeps its order.
sys.stdout.buffer.write(b"".join(got))
sys.stdout.flush()
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
