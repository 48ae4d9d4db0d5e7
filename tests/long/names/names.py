"""Units that ask for their own name are compiled under twenty names each, with default settings and
with REPRISE_BASE_DIRS.

    names.py [--share N]

--share N takes every N-th command line of the corpus. Variables: NAMES_SEED (1), NAMES_JOBS (number
of CPUs), NAMES_UNITS (a pattern of unit names), NAMES_RUNS (of command lines), NAMES_REPORTS (a
directory for scripts that show differences), NAMES_NAMES (20), NAMES_SECONDS (none begins later).
Status 1 if a result is not that of a plain run, or if nothing was replayed."""

import argparse
import os
import random
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from machine import crew, tools, units  # noqa: E402
from machine.start import Start  # noqa: E402

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"
MIXED = LETTERS[:36] + LETTERS[:26].upper()
ODD = (
    "zzzzzzzz",
    "aaaaaaaa",
    "A-b.c+d_",
    "q1w2e3r4",
    "x",
    "q" * 40,
    "with space",
    "b.0.b.00",
    "source00",
)
# Letters that make, assemblers, shells or option lists take for something else.
STRANGE = (
    "a$b#c%d",
    "c:d",
    "p\\q.r",
    "t'u\"v",
    "\u00e9-\u00fc\u00df",
    "x;y&z(1)",
    "tab\there",
    "new\nline",
    "$$",
    "=a,b",
    "@at~",
    "{b}*?[!",
)
FIRST = {
    "D": "tmpsource_0",
    "B": "tmpbase__00",
    "W": "tmpwork__00",
    "O": "tmpout___00",
    "o": "tmpoutput_0",
    "I": "tmpheader_0",
}
# Which roles have another name than in the first start, for each start.
TURNS = (
    "",
    "DBWOoI",
    "DWI",
    "D",
    "B",
    "W",
    "Oo",
    "I",
    "DWOoI",
    "D",
    "DBWOoI",
    "B",
    "DW",
    "D",
    "IW",
    "D",
    "DB",
    "W",
    "o",
    "DBWOoI",
)


def drawn(choice, turn, generated):
    """A name in tempfile's form, of one length. Some are the first or the last in sorted order, or
    have another shape or length."""
    if turn % 9 == 8 or turn > 3 and not generated and turn % 3 == 2:
        return choice.choice(STRANGE if turn % 2 else ODD)
    if turn % 6 == 5:
        return choice.choice(["tmpzzzzzzzz", "tmpaaaaaaaa", "tmp________"])
    if turn % 7 == 6:
        return "cc" + "".join(choice.choice(MIXED) for _ in range(4)) + "Q7"
    return "tmp" + "".join(choice.choice(LETTERS) for _ in range(8))


def starts(unit, run, number, seed):
    def all_of(place):
        for mode in "default", "base":
            choice = random.Random(f"{seed} {unit.name} {run}")
            yield None
            for turn in range(number):
                names = dict(FIRST)
                for role in TURNS[turn % len(TURNS)]:
                    names[role] = drawn(choice, turn, mode == "default")
                if "nvcc" in run:
                    names = {role: name.replace(" ", "_") for role, name in names.items()}
                if len(set(names.values())) < len(names):
                    continue
                files, at = units.rendered(unit, names, place.root)
                settings = (
                    {}
                    if mode == "default"
                    else {"REPRISE_BASE_DIRS": ":".join(sorted({at[role] for role in "DWIO"}))}
                )
                yield Start(
                    units.command_line(run, at),
                    {**files, **{at[role]: crew.DIRECTORY for role in "WOI"}},
                    place.root if unit.ext == "source" else at["W"],
                    settings=settings,
                    note=f"{mode}, {TURNS[turn % len(TURNS)]} named anew: {names}",
                )

    return all_of


def work(the_crew, item):
    number, unit, run = item
    row = the_crew.row(
        f"n{number:04}",
        starts(unit, run, the_crew.names, the_crew.seed),
        lambda _: unit.name,
        lambda start: f"{run}: {start.note.split(',')[0]}",
        go_on=True,
    )
    row.command = run.split()[0]
    return row


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--share", type=int, default=1)
    options = parser.parse_args()
    wanted = re.compile(os.environ.get("NAMES_UNITS", ""))
    wanted_runs = re.compile(os.environ.get("NAMES_RUNS", ""))
    items = [
        (unit, run)
        for unit in units.corpus(crosses=True)
        for run in unit.runs
        if tools.present(run.split()[0]) and wanted_runs.search(run)
    ]
    items = [(number, *item) for number, item in enumerate(items) if wanted.search(item[0].name)][
        options.share // 2 :: options.share
    ]
    the_crew = crew.Crew(
        "names",
        int(os.environ.get("NAMES_JOBS") or os.cpu_count()),
        os.environ.get("NAMES_REPORTS"),
    )
    the_crew.names, the_crew.seed = (
        int(os.environ.get("NAMES_NAMES") or 20),
        os.environ.get("NAMES_SEED") or "1",
    )
    begun = time.monotonic()
    try:
        rows = the_crew.run(work, items, int(os.environ.get("NAMES_SECONDS") or 0))
    finally:
        the_crew.close()
    status = crew.report(rows, time.monotonic() - begun)
    print(
        f"{len(rows)} of {len(items)} command lines "
        f"of {len({item[1].name for item in items})} units"
    )
    return status


if __name__ == "__main__":
    sys.exit(main())
