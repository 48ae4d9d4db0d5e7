"""Compares what a start leaves under Reprise with what it leaves plain."""

import itertools
import re
import time

DRAWN = re.compile("[0-9A-Za-z]{6,}")  # what a temporary name may hold
ATTEMPTS = 40  # rows of starts that are tried to find a short one


class Judge:
    def __init__(self, place):
        self.place, self.kept = place, {}

    def plain(self, start):
        """The result of a plain run, kept by the digest of all that the start sees."""
        known = self.kept.get(start.identity())
        if not known:
            self.place.lay(start)
            known = self.kept[start.identity()] = self.place.run(start, False)
        return known

    def ours(self, start):
        self.place.lay(start)
        return self.place.run(start, True)

    def check(self, start):
        """The result under Reprise, the aspects that are wrong, and those in which plain runs
        differ from each other."""
        plain, ours = self.plain(start), self.ours(start)
        wrong, unstable = differing(plain, ours), []
        # Again and again, the last time when a clock that counts seconds has moved on.
        # If the tool ran for real, a rare second answer is looked for more often. gcc -gctf leaves
        # one order of types or the other. The order of strings that nvcc -g leaves depends on
        # nvcc's process id: of 60 runs, 5 to 12 leave the rarer order. A program may crash by
        # chance: of 345 runs of clang -objcmt-ns-nonatomic-iosonly, 10 ended well.
        again = 60 if start.argv[0].endswith("nvcc") else 9
        if plain.aspects["status"] in range(128, 256):
            again = 200
        for pause in (0, 0, 1.1) + (0,) * again:
            if unexplained(wrong, unstable):
                time.sleep(pause)
                unstable += [
                    aspect
                    for aspect in differing(plain, self.place.run(start, False))
                    if aspect not in unstable
                ]
        return ours, unexplained(wrong, unstable), unstable

    def shows(self, row):
        """Runs a row on a fresh store. Returns the wrong aspects of its last start."""
        self.place.fresh_store()
        for start in row[:-1]:
            self.ours(start)
        return self.check(row[-1])[1]

    def shortest(self, row):
        """The shortest row with this last start that shows a difference, and the wrong aspects.
        None if there is no difference."""
        last, tried = len(row) - 1, 0
        for count in range(min(len(row), 3)):
            for some in sorted(itertools.combinations(range(last), count), reverse=True):
                tried += 1
                if tried > ATTEMPTS:
                    break
                short = [row[i] for i in some] + [row[last]]
                wrong = self.shows(short)
                if wrong:
                    return short, wrong
        wrong = self.shows(row)
        return (list(row), wrong) if wrong else (None, [])


def differing(one, other):
    return sorted(
        aspect
        for aspect in set(one.aspects) | set(other.aspects)
        if one.aspects.get(aspect) != other.aspects.get(aspect)
    )


def unexplained(wrong, unstable):
    """The wrong aspects that are equal in all plain runs. A file whose name is random has another
    aspect in each run, so such names count as one."""
    known = {DRAWN.sub("*", aspect) for aspect in unstable}
    return [aspect for aspect in wrong if DRAWN.sub("*", aspect) not in known]


def alike(one, other):
    """Whether two results are the same, or would be if files had the same drawn names."""
    sides = [
        sorted((DRAWN.sub("*", aspect), repr(value)) for aspect, value in result.aspects.items())
        for result in (one, other)
    ]
    return sides[0] == sides[1]


def shown(one, other, aspect):
    """Both values of an aspect, from the first difference on."""
    one, other = (result.aspects.get(aspect, "absent") for result in (one, other))
    if (
        isinstance(one, tuple)
        and isinstance(other, tuple)
        and one[:2] == other[:2]
        and len(one) == len(other) == 3
    ):
        one, other = one[2], other[2]
    if not isinstance(one, bytes) or not isinstance(other, bytes):
        return f"{aspect}: plain {one!r:.160}, under Reprise {other!r:.160}"
    at = next(
        (at for at, pair in enumerate(zip(one, other)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )
    around = slice(max(0, at - 24), at + 40)
    sizes = f"{aspect}: {len(one)} and {len(other)} bytes, from {at}"
    return f"{sizes}: plain {one[around]!r}, under Reprise {other[around]!r}"
