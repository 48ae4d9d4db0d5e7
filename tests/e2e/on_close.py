#!/usr/bin/env python3
"""on_close.py FILE BYTES COMMAND...

Runs the command. When a reader has closed FILE for the first time, writes BYTES at its beginning.
Ends with the command's status."""
import ctypes
import os
import select
import subprocess
import sys

IN_CLOSE_NOWRITE, IN_NONBLOCK = 0x10, 0x800
path, data = sys.argv[1], sys.argv[2].encode()
out = os.open(path, os.O_WRONLY)
libc = ctypes.CDLL(None, use_errno=True)
events = libc.inotify_init1(IN_NONBLOCK)
if events < 0 or libc.inotify_add_watch(events, path.encode(), IN_CLOSE_NOWRITE) < 0:
    sys.exit("on_close.py: inotify: " + os.strerror(ctypes.get_errno()))
command = subprocess.Popen(sys.argv[3:])
closed = False
while not closed and command.poll() is None:
    closed = bool(select.select([events], [], [], 0.05)[0])
if closed:
    os.pwrite(out, data, 0)
sys.exit(command.wait())
