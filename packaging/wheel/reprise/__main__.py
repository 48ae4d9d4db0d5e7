"""`python -m reprise` is `reprise`: the program takes the place of Python."""
import os
import signal
import sys


def as_found():
    """The environment, and the signals, as Python found them."""
    # Python ignores these.
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    # In the C locale Python sets LC_CTYPE, which compilers read, whatever it was.
    os.environ.pop("LC_CTYPE", None)
    with open("/proc/self/environ", "rb") as initial:
        for variable in initial.read().split(b"\0"):
            if variable.startswith(b"LC_CTYPE="):
                os.environb[b"LC_CTYPE"] = variable[9:]


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "reprise")
    try:
        as_found()
        os.execv(program, [program] + sys.argv[1:])
    except OSError as error:
        print("reprise: %s: %s; install the wheel with pip" % (program, error.strerror),
              file=sys.stderr)
        sys.exit(125)


if __name__ == "__main__":
    main()
