"""Rows about the end of a job: the seconds that `reprise-run` of a one-file build adds over a build
without a remote store. The server refuses connections, never answers, or is slow. Each round
compiles a new text, so that there is something to publish."""

import os

from harness import Variant, median, rounds, spread
from nodes import Redis, free_port

# Bars. refused: a time that no user notices. hung: half a second of look-ups and half a second of
# waiting at the end. slow: some answers that are each 30 ms late.
KINDS = {
    "refused": ("refuses", "0.1", lambda redis: f"redis://127.0.0.1:{free_port()}"),
    "hung": ("takes connections and says nothing", "1.1", lambda redis: redis.proxy("hang")),
    "slow": ("answers 30 ms late", "0.5", lambda redis: redis.proxy("delay", "30")),
}


def row_of(b, kind):
    what, bar, url = KINDS[kind]
    at, run = b.directory(f"ending-{kind}"), os.path.join(b.ROOT, "scripts", "reprise-run")
    source = os.path.join(at, "a.c")

    def another(number):
        another.count += 1
        with open(source, "w") as out:
            out.write(f"int a = {another.count};\n")
    another.count = 0

    def started(store, **more):
        env = b.reprise_env(b.directory(store), **more)
        del env["LD_PRELOAD"]
        return env

    with Redis(b) as redis:
        command = [run, b.which("gcc"), "-c", source, "-o", os.path.join(at, "a.o")]
        with_it = started(f"ending-{kind}-store", REPRISE_REDIS_URL=url(redis))
        without = started(f"ending-{kind}-alone")
        ours, alone = rounds([Variant("remote", command, with_it, before=another, cwd=at),
                              Variant("none", command, without, before=another, cwd=at)],
                             b.count(24), warm=1)
    more = [x[0] - y[0] for x, y in zip(ours, alone)]
    what = f"reprise-run of a one-file build whose Redis {what}: seconds beyond one without any"
    took, longest = median([x[0] for x in ours]), max(x[0] for x in ours)
    return b.Row(what, bar, f"{median(more):.2f}", f"{took:.2f} s, the longest {longest:.2f} s, "
                 f"/ {median([x[0] for x in alone]):.2f} s", spread(more))


def add_rows(b):
    for kind in KINDS:
        b.row(f"ending-{kind}")(lambda kind=kind: row_of(b, kind))
