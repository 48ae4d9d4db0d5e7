"""A start: a command and everything that it may see."""

import hashlib
import os
from dataclasses import dataclass, field
from typing import NamedTuple

STAMP = 1600000000  # the time of modification of files that have no other
# The kinds of stdout and stderr. same: stdout's file or pipe. closed: a shell closes them.
STREAMS = {
    "files": ("file", "file"),
    "pipes": ("pipe", "pipe"),
    "pipe": ("pipe", "same"),
    "append": ("append", "append"),
    "one": ("file", "same"),
    "null": ("null", "null"),
    "offset": ("offset", "offset"),
    "terminal": ("terminal", "terminal"),
    "typed": ("terminal", "terminal"),  # stdin, too
    "log": ("file", "terminal"),
    "listing": ("terminal", "file"),
    "closed": ("null", "null"),
    "out closed": ("null", "pipe"),
    "err closed": ("pipe", "null"),
}


class Entry(NamedTuple):
    """One file below the root. data: the bytes of a file, the target of a link, the name of the
    file of a second name."""

    kind: str  # f file, d directory, l symbolic link, h hard link
    data: bytes = b""
    mode: int = 0o644
    stamp: int = STAMP


@dataclass(frozen=True)
class Start:
    argv: tuple
    files: dict  # absolute path: Entry; directories above them are made
    cwd: str
    env: dict = field(
        default_factory=dict
    )  # beside PATH, HOME, TMPDIR and LC_ALL; None takes one away
    streams: str = "files"
    width: int = 0  # of a terminal; 0: it has none
    stdin: str = "/dev/null"
    umask: int = 0o022
    settings: dict = field(default_factory=dict)  # of Reprise: no plain run has them
    note: str = ""  # how it differs from the start before

    def identity(self):
        """A digest of all that a plain run sees."""
        seen = hashlib.sha256()
        for part in (
            self.argv,
            sorted(self.files.items()),
            self.cwd,
            sorted(self.env.items()),
            self.streams,
            self.width,
            self.stdin,
            self.umask,
        ):
            seen.update(repr(part).encode())
        return seen.digest()


def text(words, mode=0o644, stamp=STAMP):
    return Entry("f", words if isinstance(words, bytes) else words.encode(), mode, stamp)


def directory(mode=0o755):
    return Entry("d", b"", mode)


def with_parents(files, root):
    """The entries and the directories above them, down from the root."""
    whole = {}
    for path in files:
        above = os.path.dirname(path)
        while len(above) > len(root) and above not in whole and above not in files:
            whole[above] = directory()
            above = os.path.dirname(above)
    whole.update(files)
    return whole


def below_link(files, path):
    """Whether a symbolic link among the files is a directory of the path."""
    return any(
        entry.kind == "l" and (path + "/").startswith(name + "/")
        for name, entry in files.items()
    )
