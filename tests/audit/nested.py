#!/usr/bin/env python3
"""nested.py --lib LIBREPRISE DIRECTORY CMD...: do steps report all inputs to their parent action?

Runs nvcc's CMD once with REPRISE_NEST=0, where one trace sees every process. Runs it again with a
definition that nothing uses, so that its steps are in another store. Then runs the first command in
that store: a new parent action of the same device steps. The last trace must hold all files,
variables and listings of the first one.

Status 0: it does. 1: what is missing is printed. 2: no step was replayed.

What may be missing: nvcc's and gcc's temporaries, and files that the tree made; self and cpus of
audit.py; /dev/urandom, which names temporaries; MALLOC_CONF and TEMPDIR, which do not affect a
result.
"""
import argparse
import os
import re
import subprocess
import sys

from audit import CPUS, SELF, read_trace

TEMPORARY = re.compile(r"tmpxft_|/cc\w{6}(\.|$)|^/dev/urandom$")
VARIABLES = {"MALLOC_CONF", "TEMPDIR"}
READING = ("READ", "LOADED", "EXEC", "LIST")

p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
p.add_argument("--lib", required=True)
p.add_argument("directory")
p.add_argument("cmd", nargs=argparse.REMAINDER)
o = p.parse_args()


def run(nest, extra, keep=None):
    at = os.path.join(o.directory, "nest" + nest)
    env = {**os.environ, "LD_PRELOAD": o.lib, "REPRISE_CACHE_DIR": at,
           "REPRISE_RUNTIME_DIR": os.path.join(o.directory, "run"),
           "REPRISE_LOG": at + ".log", "REPRISE_LOG_LEVEL": "info", "REPRISE_NEST": nest}
    if keep:
        env["REPRISE_TRACE_KEEP"] = keep
    if os.path.exists(at + ".log"):
        os.unlink(at + ".log")
    subprocess.run(o.cmd + extra, env=env, check=True)
    return open(at + ".log").read()


def told(path):
    """Names by kind of event, as the parent action keys them."""
    out = {}
    for op, _, _, _, a, _ in read_trace(path):
        name = a if op == "GETENV" else "/".join(x for x in a.split("/") if x != ".")
        out.setdefault(op, set()).add(name)
    return out


def below(path, names):
    while path and path != "/":
        if path in names:
            return True
        path = path.rpartition("/")[0]
    return False


alone, whole = (os.path.join(o.directory, f"trace{i}") for i in (0, 1))
run("0", [], alone)
for unused in ("ONE", "TWO"):  # the host's steps are recorded from their second run on
    run("1", [f"-D{unused}_THAT_NOTHING_USES"])
log = run("1", [], whole)
if not re.search(r" ptxas: hit", log) or not re.search(r" nvcc: miss", log):
    print("nested: no ptxas was replayed below an nvcc that ran:\n" + log)
    sys.exit(2)
was, now = told(alone), told(whole)
everything = set().union(*now.values())
absent = now.get("ABSENT", set())
nothing_below = absent | {name[:-len("/.reprise")] for name in absent if name.endswith("/.reprise")}
answers = {
    "READ": lambda name: any(name in now.get(op, ()) for op in READING),
    "LOADED": lambda name: any(name in now.get(op, ()) for op in READING),
    "LIST": lambda name: name in now.get("LIST", ()),
    "ABSENT": lambda name: below(name, nothing_below),
    "PRESENT": lambda name: name in everything,
    "STAT": lambda name: name in everything,
    "READLINK": lambda name: name in everything,
    "GETENV": lambda name: name in now.get("GETENV", ()) or name in VARIABLES,
}
made = was.get("WRITE", set())
missing = [f"{op} {name}" for op, found in answers.items() for name in sorted(was.get(op, ()))
           if not found(name) and (op == "GETENV" or not (name in made or TEMPORARY.search(name) or
                                                          SELF.search(name) or CPUS.search(name)))]
print("\n".join(f"missed: {m}" for m in missing) or
      f"nested: {sum(len(was.get(op, ())) for op in answers)} names, none missing")
sys.exit(bool(missing))
