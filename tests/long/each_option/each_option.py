"""Each option of each tool, alone, meets each kind of edit: what random starts bring together once
in a hundred thousand.

    each_option.py [--share N]

--share N takes every N-th option. By environment: EACH_OPTION_SEED (1), EACH_OPTION_JOBS (number of
CPUs), EACH_OPTION_PART (3of4: the third of four parts), EACH_OPTION_TOOLS (of these only),
EACH_OPTION_OPTIONS (a pattern of options), EACH_OPTION_SECONDS (none begins later),
EACH_OPTION_REPORTS (a directory for scripts that show differences).

A row is one option: a start that is recorded, and after it the same with one edit each. Status 1 if
a result is not that of a plain run, or if nothing was replayed."""

import argparse
import os
import random
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LONG = os.path.dirname(HERE)
sys.path[:0] = [f"{LONG}/differential", LONG]
import checkouts  # noqa: E402
import comments  # noqa: E402
import content  # noqa: E402
import edits  # noqa: E402
import naming  # noqa: E402
import options  # noqa: E402
import outputs  # noqa: E402
import scene  # noqa: E402
from machine import crew, tools, units  # noqa: E402
from machine.start import STAMP  # noqa: E402

TOOLS = [tool for tool in scene.WEIGHTS if tool not in ("script", "mold", "llvm-ar")]


def renamed(roles):
    def edit(state, choice):
        for role in roles:
            state.names[role] = naming.like(choice, state.names[role])
        return f"names: {roles}"

    return edit


def stamps(state, choice):
    """Makes all files older."""
    for path, entry in state.files.items():
        if entry.kind == "f":
            state.files[path] = entry._replace(stamp=STAMP - 5000)
    return "stamps: all"


EDITS = (
    edits.again,
    stamps,
    renamed("D"),
    renamed("B"),
    renamed("W"),
    renamed("O"),
    renamed("o"),
    renamed("I"),
    renamed("DBWOoI"),
    checkouts.checkout,
    outputs.named,
    outputs.there,
    comments.comment,
    comments.comment,
    content.digit,
    content.line_gone,
    edits.spelled,
    edits.shadow,
    edits.linked,
    edits.mode,
    edits.masked,
    edits.streams,
)


def words_of(tool):
    """Each option of a tool as a list of words: those of the table, and those of its help with the
    first and the last of their values."""
    for known in options.KNOWN[tool].split():
        yield known.split("|")
    for spelled, (joined, values) in options.listed(tool):
        some = values or options.VALUES
        for value in (some[0], some[-1]) if joined else ("",):
            yield [spelled + ("=" + value if joined else "")]


def all_options(part):
    """(number, tool, words)"""
    wanted = os.environ.get("EACH_OPTION_TOOLS", "").split() or TOOLS
    pattern = re.compile(os.environ.get("EACH_OPTION_OPTIONS") or "")
    found = []
    for tool in TOOLS:
        if tool in wanted and tools.present(tool):
            found += [(tool, words) for words in words_of(tool) if pattern.search(words[0])]
    return crew.part([(at, *one) for at, one in enumerate(found)], part)


def starts_of(item, the_crew):
    number, tool, words = item

    def all_of(place):
        choice = random.Random(f"{the_crew.seed} {number}")
        base = scene.begin(choice, the_crew.corpus, tool, lambda: [words])
        checkouts.begin(base, choice)
        yield base.start(place.root)
        for edit in EDITS:
            state = scene.copied(base)
            state.note = edit(state, choice)
            yield state.start(place.root)

    return all_of


def work(the_crew, item):
    number, tool, words = item
    if not options.accepted(tool, tuple(words)):
        return None
    return the_crew.row(
        f"e{number:05}",
        starts_of(item, the_crew),
        lambda _: tool,
        lambda start: f"{' '.join(words)}: {start.note}",
        go_on=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=int, default=1)
    share = parser.parse_args().share
    environ = os.environ.get
    the_crew = crew.Crew(
        "each_option",
        int(environ("EACH_OPTION_JOBS") or os.cpu_count()),
        environ("EACH_OPTION_REPORTS"),
    )
    the_crew.seed, the_crew.corpus = environ("EACH_OPTION_SEED") or "1", units.corpus()
    begun = time.monotonic()
    try:
        items = all_options(environ("EACH_OPTION_PART"))[share // 2 :: share]
        rows = the_crew.run(work, items, int(environ("EACH_OPTION_SECONDS") or 0))
    finally:
        the_crew.close()
    status = crew.report(rows, time.monotonic() - begun)
    print(f"{len(rows)} of {len(items)} options: the others were refused by their tools")
    return status


if __name__ == "__main__":
    sys.exit(main())
