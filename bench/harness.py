"""Paired measurement: variants of one command run in turn, round after round, so that a change of
the machine's speed affects all of them. Each round has another order, so that no variant always
runs after the same one and the caches that it leaves. A figure is the median over rounds of the
ratio within a round."""

import gc
import os
import random
import statistics
import time

REAL, CPU = 0, 1


class Variant:
    """One way to run a command. before(round) runs untimed and may return an argv for that
    round."""

    def __init__(self, name, argv, env=None, before=None, cwd=None, status=0):
        self.name, self.argv, self.env = name, argv, dict(os.environ if env is None else env)
        self.before, self.cwd, self.status = before, cwd, status


def quiet():
    null = os.open(os.devnull, os.O_RDWR)
    return [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1),
            (os.POSIX_SPAWN_DUP2, null, 2)]


ACTIONS = quiet()


def once(variant, number):
    """Returns (wall, user + system) in seconds of one run. The CPU time includes all descendants
    whose end was waited for."""
    argv = variant.argv
    if variant.before:
        argv = variant.before(number) or argv
    if variant.cwd:
        os.chdir(variant.cwd)
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, variant.env, file_actions=ACTIONS)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != variant.status:
        raise SystemExit(f"bench: {variant.name}: status {os.waitstatus_to_exitcode(status)}: "
                         f"{' '.join(argv)}")
    return wall, usage.ru_utime + usage.ru_stime


def rounds(variants, count, warm=2):
    """Returns a list for each variant of (wall, cpu), one for each round, without the first `warm`
    rounds."""
    figures = [[] for _ in variants]
    gc.disable()
    order, choice = list(zip(variants, figures)), random.Random(1)
    for number in range(warm + count):
        for variant, out in order:
            figure = once(variant, number)
            if number >= warm:
                out.append(figure)
        if number >= warm - 1:
            choice.shuffle(order)
    gc.enable()
    return figures


def ratios(top, bottom, what=REAL):
    return [a[what] / b[what] for a, b in zip(top, bottom)]


def median(values):
    return statistics.median(values)


def spread(values):
    """Returns the quartiles as text: they show how far the rounds agree."""
    if len(values) < 4:
        return f"{min(values):.3g} .. {max(values):.3g}"
    low, _, high = statistics.quantiles(values, n=4)
    return f"{low:.3g} .. {high:.3g}"


def milliseconds(figures, what=REAL):
    return f"{1000 * median([f[what] for f in figures]):.2f} ms"
