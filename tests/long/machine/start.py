"""A start: a command and all that it may see."""

import hashlib
import os
from dataclasses import dataclass, field
from typing import NamedTuple

STAMP = 1600000000  # the time of modification of files that have no other
STREAMS = ("files", "pipes", "pipe", "append", "one", "null", "offset", "terminal", "closed")


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
