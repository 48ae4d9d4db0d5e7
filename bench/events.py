"""The row about events: what one costs a hit (REPRISE_EVENTS=0 keeps none)."""

import os
import statistics

from harness import CPU, REAL, Variant, median, milliseconds, ratios, rounds, spread

# A hit may pay so much for its event, in microseconds.
BAR_US = 20


def quick_ones(figures):
    """Returns the lower decile of the walls, in microseconds."""
    return statistics.quantiles([f[REAL] * 1e6 for f in figures], n=10)[0]


def row_of(b):
    at, store = b.directory("event"), b.directory("event-store")
    source = b.copy("small.c", at)
    command = [b.which("gcc"), "-O2", "-c", source, "-o", os.path.join(at, "small.o")]
    n = b.count(1000)
    kept, none = rounds([
        Variant("with events", command, b.reprise_env(store, REPRISE_JOB="bench"), cwd=at),
        Variant("without", command, b.reprise_env(store, REPRISE_JOB="bench",
                                                  REPRISE_EVENTS="0"), cwd=at)], n, warm=4)
    b.expect_hits(store, 2 * n)
    wall, cpu = ([(a[what] - o[what]) * 1e6 for a, o in zip(kept, none)] for what in (REAL, CPU))
    r = ratios(kept, none)
    # On a busy machine a median of wall times shows the other processes more than the event.
    fast = quick_ones(kept) - quick_ones(none)
    return b.Row(f"event of a hit, us (wall ratio {median(r):.3f}: with events / REPRISE_EVENTS=0)",
                 str(BAR_US), f"{fast:.0f}",
                 f"lower deciles of walls; medians: wall {median(wall):.0f} us, CPU "
                 f"{median(cpu):.0f} us; {milliseconds(kept)} / {milliseconds(none)}",
                 spread(wall))


def add_rows(b):
    b.row("event")(lambda: row_of(b))
