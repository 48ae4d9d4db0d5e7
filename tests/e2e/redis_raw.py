"""redis_raw.py SOCKET COMMAND [ARG...] - one command to a Redis, as bytes: redis-cli and shells
change some bytes.

'@FILE' is a file's content. The reply goes to stdout: a string, or the elements of an array one
after the other. An error sets the status. Other scripts call ask().
"""
import os
import socket
import sys


def ask(path, *words):
    """The reply: bytes, a list of such, None, or the text of a number or a state."""
    words = [os.fsencode(w) if isinstance(w, str) else w for w in words]
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        s.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        f = s.makefile("rb")

        def reply():
            line = f.readline().rstrip()
            if line[:1] == b"$":
                n = int(line[1:])
                return None if n < 0 else f.read(n + 2)[:-2]
            if line[:1] == b"*":
                return [reply() for _ in range(int(line[1:]))]
            if line[:1] == b"-":
                sys.exit(line.decode())
            return line[1:]

        return reply()


def flat(reply):
    return b"".join(map(flat, reply)) if isinstance(reply, list) else reply or b""


if __name__ == "__main__":
    sys.stdout.buffer.write(flat(ask(sys.argv[1], *(open(w[1:], "rb").read() if w.startswith("@")
                                                    else w for w in sys.argv[2:]))))
