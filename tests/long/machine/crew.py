"""Runs rows of starts at once, sums them up, and writes a script for each kind of difference."""

import collections
import fcntl
import multiprocessing
import os
import signal
import time
import traceback
from dataclasses import dataclass, field

from machine import script
from machine.judge import Judge, shown
from machine.place import DIRECTORY, Place, remove  # noqa: F401

SCRIPTS = 3  # for each kind of difference; so many are printed, too
TOTALS = ("starts", "hit", "miss", "unstored", "bypass", "none", "failed", "unstable", "different")


@dataclass
class Row:
    """The findings of a row of starts."""

    name: str
    counts: collections.Counter = field(
        default_factory=collections.Counter
    )  # (tool, total): number
    found: list = field(default_factory=list)  # kind, text
    complaints: collections.Counter = field(default_factory=collections.Counter)
    sums: collections.Counter = field(default_factory=collections.Counter)  # a machine's own


class Crew:
    """`jobs` processes below a directory that no other run uses. Scripts go to the directory
    `reports`, if there is one."""

    def __init__(self, name, jobs, reports):
        self.name, self.jobs, self.reports = name, jobs, reports
        self.base, self.lock = own_directory(name)
        if reports:
            os.makedirs(reports, exist_ok=True)

    def close(self):
        leftovers(self.base)
        os.unlink(self.base + ".lock")

    def run(self, work, items, seconds=0):
        """Calls work(crew, item), which gives a Row, for each item. Prints the findings at once,
        and returns the rows. seconds: after this time no item begins. SIGTERM ends the run: it
        returns the rows so far, and one that says so."""
        rows, begun, last = [], time.monotonic(), time.monotonic()
        printed, ended = collections.Counter(), []
        signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
        with multiprocessing.Pool(
            self.jobs, begin, (self, work, begun + seconds if seconds else 0)
        ) as pool:
            results = pool.imap_unordered(called, items)
            while not ended:
                try:
                    row = results.next(1)
                except multiprocessing.TimeoutError:
                    continue
                except StopIteration:
                    break
                if not row:
                    continue
                rows.append(row)
                for kind, words in row.found:
                    printed[kind] += 1
                    if printed[kind] <= SCRIPTS:
                        print(f"found: {kind}\n    " + "\n        ".join(words), flush=True)
                if time.monotonic() - last > 60:
                    last = time.monotonic()
                    print(
                        f"{len(rows)} rows, {last - begun:.0f} s: {line(total(rows))}", flush=True
                    )
        if ended:
            rows.append(Row("ended", found=[("machine", [f"ended after {len(rows)} rows"])]))
        return rows

    def row(self, name, starts, tool, label, go_on=False, watch=None):
        """Runs starts one after the other on a store of their own. None between two starts means a
        fresh store. tool(start): the name under which the start is counted. label(start): its kind.
        go_on: a difference does not end the row, since its starts do not follow from each other.
        watch(place, start, plain, ours): its answer is added to the row's sums."""
        row = Row(name)
        place = Place(f"{self.base}/{name}", f"{self.base}.aside/{name}")
        judge, done = Judge(place), []
        try:
            for start in starts(place):
                if start is None:
                    place.fresh_store()
                    done = []
                    continue
                done.append(start)
                ours, wrong, unstable = judge.check(start)
                plain = judge.plain(start)
                counts = (
                    ["starts", ours.verdict()]
                    + ["unstable"] * bool(unstable)
                    + ["failed"] * (plain.aspects["status"] != 0)
                )
                row.complaints.update(ours.complaints())
                if watch:
                    row.sums.update(watch(place, start, plain, ours))
                if wrong:
                    counts.append("different")
                    self.finding(row, judge, done, (ours, wrong), tool, label)
                row.counts.update((tool(start), count) for count in counts)
                # ld --relax -r never ends. The row's other starts would take a minute each.
                if plain.aspects["status"] == "hangs" or wrong and not go_on:
                    break
                if wrong:  # a wrong entry would be replayed again
                    place.fresh_store()
                    done = []
        finally:
            place.close()
        return row

    def finding(self, row, judge, done, seen, tool, label):
        ours, wrong = seen
        plain = judge.plain(done[-1])
        sorts = ", ".join(sorted({aspect.split(" ")[0] for aspect in wrong}))
        kind = f"{tool(done[-1])}: {label(done[-1])}: {sorts}"
        words = [f"{row.name}: {' '.join(done[-1].argv)}", f"after: {done[-1].note}"] + [
            shown(plain, ours, aspect) for aspect in wrong[:4]
        ]
        words += [
            f"{tool_said}: {verdict} {why}"[:200] for tool_said, verdict, why in ours.verdicts[:4]
        ]
        if self.reports and self.wanted(kind):
            short, what = judge.shortest(done)
            path = f"{self.reports}/{row.name}-{len(row.found)}.sh"
            if short:
                words.append(f"{len(short)} starts: {path}")
            else:
                words.append(f"only on a store that is not fresh: all {len(done)} starts: {path}")
            script.write(
                path,
                short or done,
                judge.place.root,
                f"{kind}; {words[1]}; differs: {', '.join(what or wrong)}",
            )
        row.found.append((kind, words))

    def wanted(self, kind):
        """Whether this kind gets another script: each has a few. The processes count together by
        names of files."""
        name = "".join(c if c.isalnum() else "_" for c in kind)[:120]
        for number in range(SCRIPTS):
            try:
                os.close(
                    os.open(
                        f"{self.base}.{name}.{number}.seen", os.O_CREAT | os.O_EXCL | os.O_WRONLY
                    )
                )
                return True
            except FileExistsError:
                pass
        return False


def part(items, words):
    """"3of8": the third of eight parts of a list; without words the complete list."""
    number, parts = map(int, (words or "1of1").split("of"))
    return items[len(items) * (number - 1) // parts : len(items) * number // parts]


def begin(the_crew, work, end):
    """Prepares a process of the crew: how it handles items."""
    os.nice(5)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    called.__dict__.update(crew=the_crew, work=work, end=end)


def called(item):
    if called.end and time.monotonic() > called.end:
        return None
    try:
        return called.work(called.crew, item)
    except Exception:  # a defect of the machine: such a row must not count as good
        return Row(str(item), found=[("machine", [traceback.format_exc()])])


def own_directory(name):
    """A directory below /tmp that no other run uses, and its lock. All names have one length:
    /tmp/NAME-a, -b and so on."""
    for letter in "abcdefghijklmnopqrstuvwxyz":
        base = f"/tmp/{name}-{letter}"
        lock = open(base + ".lock", "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        leftovers(base)
        os.makedirs(base)
        return base, lock
    raise SystemExit(f"26 runs of {name} already")


def leftovers(base):
    for name in os.listdir("/tmp"):
        path = "/tmp/" + name
        if path == base or path.startswith(base + ".") and not name.endswith(".lock"):
            remove(path)


def total(rows):
    counts = collections.Counter()
    for row in rows:
        for (_, what), number in row.counts.items():
            counts[what] += number
    return counts


def line(counts):
    return ", ".join(f"{counts[what]} {what}" for what in TOTALS)


def report(rows, seconds):
    """Prints sums by tool, what differs by kind, and the sum. Status 1 if anything differs, or if
    nothing was replayed: such a run shows nothing."""
    tools = collections.defaultdict(collections.Counter)
    kinds, complaints = collections.Counter(), collections.Counter()
    for row in rows:
        for (tool, what), number in row.counts.items():
            tools[tool][what] += number
        kinds.update(kind for kind, _ in row.found)
        complaints.update(row.complaints)
    for tool in sorted(tools):
        print(f"{tool:12} {line(tools[tool])}")
    for complaint, number in complaints.most_common(20):
        print(f"log, {number} times: {complaint[:200]}")
    for kind, number in kinds.most_common():
        print(f"DIFFERENT {number} times: {kind}")
    print(
        f"{line(total(rows))}; {sum(kinds.values())} findings of {len(kinds)} kinds; "
        f"{seconds:.0f} s"
    )
    if not total(rows)["hit"]:
        print("nothing was replayed")
    return 1 if kinds or not total(rows)["hit"] else 0
