"""Random starts of all tools, each run plain and under Reprise, with random edits between them.

    differential.py

By environment:

    DIFFERENTIAL_STARTS (100000)
    DIFFERENTIAL_SEED (1)
    DIFFERENTIAL_JOBS     number of starts at once (the number of CPUs)
    DIFFERENTIAL_REPORTS  a directory for scripts that show differences
    DIFFERENTIAL_PART     3of8: the third of eight equal parts
    DIFFERENTIAL_SCENE    only the scene of this number
    DIFFERENTIAL_TOOLS    only scenes of these tools; names with spaces between
    DIFFERENTIAL_SECONDS  no scene begins after so many
    DIFFERENTIAL_HITS     status 1 if fewer per cent are hits, of the starts that succeed and where
                          nothing relevant changed (unchanged.py)

A scene is a tool, two options, a unit of ../corpus and a row of starts on a store of its own.
Status 1 if a result is not what a plain run gives, or if nothing was replayed."""

import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import edits  # noqa: E402
import scene  # noqa: E402
import unchanged  # noqa: E402
from machine import crew, units  # noqa: E402

STARTS = 8  # of a scene


def starts_of(number, seed, corpus, states):
    """Returns a function that gives the starts of a row. It appends their states to `states`."""

    def all_of(place):
        choice = random.Random(f"{seed} {number}")
        states.append(scene.drawn(choice, corpus))
        for turn in range(STARTS):
            # Most names are shared only after two runs.
            if turn:
                states.append(edits.edited(states, choice))
            yield states[-1].start(place.root)

    return all_of


def work(the_crew, number):
    history = unchanged.History()
    return the_crew.row(
        f"s{number:06}",
        starts_of(number, the_crew.seed, the_crew.corpus, history.states),
        lambda _: history.states[0].tool,
        lambda start: " and ".join(unchanged.kinds(start.note)),
        watch=history.watch,
    )


def scenes():
    """The numbers of the requested scenes."""
    only = os.environ.get("DIFFERENTIAL_SCENE")
    if only:
        return [int(only)]
    starts = int(os.environ.get("DIFFERENTIAL_STARTS") or 100000)
    every = range((starts + STARTS - 1) // STARTS)
    return crew.part(every, os.environ.get("DIFFERENTIAL_PART"))


def main():
    the_crew = crew.Crew(
        "differential",
        int(os.environ.get("DIFFERENTIAL_JOBS") or os.cpu_count()),
        os.environ.get("DIFFERENTIAL_REPORTS"),
    )
    the_crew.seed, the_crew.corpus = os.environ.get("DIFFERENTIAL_SEED") or "1", units.corpus()
    wanted = os.environ.get("DIFFERENTIAL_TOOLS", "").split()
    for tool in set(scene.WEIGHTS) - set(wanted) if wanted else ():
        del scene.WEIGHTS[tool]
    begun = time.monotonic()
    try:
        rows = the_crew.run(
            work,
            scenes(),
            int(os.environ.get("DIFFERENTIAL_SECONDS") or 0),
        )
    finally:
        the_crew.close()
    hits = unchanged.report(rows)
    status = crew.report(rows, time.monotonic() - begun)
    wanted = float(os.environ.get("DIFFERENTIAL_HITS") or 0)
    if hits < wanted:
        print(f"{hits:.1f} % hits where nothing relevant changed, and {wanted:g} % are wanted")
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
