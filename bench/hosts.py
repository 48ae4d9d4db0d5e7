"""Rows about processes that are no tools: what the preload adds to them."""

import json
import os
import subprocess
import sys

from harness import Variant, median, milliseconds, rounds, spread

HERE = os.path.dirname(os.path.abspath(__file__))


def true(b):
    b.directory("true")
    store = b.directory("true-store")
    argv = [b.which("true")]
    ours, plain = rounds([Variant("Reprise", argv, b.reprise_env(store), cwd=b.WORK),
                          Variant("plain", argv, b.plain_env(), cwd=b.WORK)],
                         b.count(1000), warm=10)
    d = [1000 * (x[0] - y[0]) for x, y in zip(ours, plain)]
    return b.Row("preload in a process that is no tool (true): added", "0.1 ms",
                 f"{median(d):.3f} ms", f"{milliseconds(ours)} - {milliseconds(plain)}", spread(d))


def calls(b):
    program = b.helper("calls.c")
    store = b.directory("calls-store")

    def figures(env):
        out = subprocess.run([program, "90000"], env=env, stdout=subprocess.PIPE, text=True,
                             check=True).stdout
        return {line.split()[0]: float(line.split()[1]) for line in out.splitlines()}

    def behind(env):
        return dict(env, LD_PRELOAD=" ".join(filter(None, (env.get("LD_PRELOAD"), answers))))

    answers = b.helper("answers.c", "-shared", "-fPIC")
    ours, plain = b.reprise_env(store), b.plain_env()
    turns = [[figures(e) for e in (ours, plain, behind(ours), behind(plain))]
             for _ in range(b.count(40))]
    rows = []
    for name in turns[0][0]:
        d = [t[0][name] - t[1][name] for t in turns]
        alone = min(t[2][name] for t in turns) - min(t[3][name] for t in turns)
        of = median([t[1][name] for t in turns])
        rows.append(b.Row(f"hooked {name} in a host: added to a libc that answers at once; to "
                          f"the system's", "10 ns", f"{alone:.1f} ns; {median(d):.1f} ns",
                          f"of {of:.0f} ns", spread(d)))
    return rows


def memory(b):
    store = b.directory("memory-store")
    script = [sys.executable, os.path.join(HERE, "memory.py")]

    def figures(env):
        return json.loads(subprocess.run(script, env=env, stdout=subprocess.PIPE,
                                         check=True).stdout)

    pairs = [(figures(b.reprise_env(store)), figures(b.plain_env())) for _ in range(b.count(24))]
    d = [(x[0] - y[0]) / 1024 for x, y in pairs]
    mine = median([a[1] for a, _ in pairs]) / 1024
    return b.Row("resident memory added to a host (python)", "1 MB", f"{median(d):.2f} MB",
                 f"{mine:.2f} MB mapped from the object, most of it shared between processes",
                 spread(d))


def add_rows(b):
    for row in (true, calls, memory):
        b.row(row.__name__)(lambda row=row: row(b))
