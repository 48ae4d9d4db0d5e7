#!/usr/bin/env python3
"""clocks.py --lib LIBREPRISE --helper CLOCKS CMD...: does the trace hold each call for time or
chance?

Runs CMD once under build/helpers/clocks, without a vdso, so that clocks are system calls. A
recording Reprise keeps its raw trace. If a traced process asks the kernel for the time of day or
for random bytes, the trace must say so (TRACE_CHANCE, of that kind).

Status 0: the trace is complete. 1: what is missing is printed. 2: the audit itself did not work.
77: it cannot run here.

What may be missing, and why that is right:
  malloc     glibc's malloc takes 8 bytes at its first use, once a program: a key against double
             frees, which no output holds
  temporary  mkstemp and similar functions take a name: the trace has TEMP of that process
  own        Reprise's own calls
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from audit import read_trace

TIME, RANDOM, DRAWN = 1, 2, 4
KINDS = {"getrandom": RANDOM, "time": TIME, "gettimeofday": TIME, "clock_gettime": TIME}


def missing(calls, trace):
    """calls: pid, name, size, program, object. Those that the trace lacks."""
    pids = {pid for op, _f, pid, _r, _a, _b in trace if op == "HELLO"}
    said = {(pid, arg) for op, _f, pid, arg, _a, _b in trace if op == "CHANCE"}
    named = {pid for op, _f, pid, _r, _a, _b in trace if op == "TEMP"}
    keys, lost, seen = set(), [], 0
    for pid, name, size, program, source in calls:
        if pid not in pids or "libreprise" in source:
            continue
        seen += 1
        kind = KINDS[name]
        if (pid, kind) in said or (kind == RANDOM and (pid, DRAWN) in said) or pid in named:
            continue
        if (name == "getrandom" and size == "8" and "/libc.so" in source and
            (pid, program) not in keys):
            keys.add((pid, program))
            continue
        lost.append((pid, name, size, program, source))
    return lost, seen


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--lib", required=True)
    p.add_argument("--helper", required=True)
    p.add_argument("--least", type=int, default=1, help="of so few calls the audit is blind")
    p.add_argument("cmd", nargs=argparse.REMAINDER)
    o = p.parse_args()
    work = tempfile.mkdtemp(prefix="reprise-clocks.")
    try:
        keep, log = os.path.join(work, "trace"), os.path.join(work, "calls")
        env = ["LD_PRELOAD=" + o.lib, "REPRISE_CACHE_DIR=" + work + "/store",
               "REPRISE_RUNTIME_DIR=" + work + "/run",
               "REPRISE_TRACE_KEEP=" + keep, "REPRISE_LOG=" + work + "/log", "REPRISE_NEST=0"]
        r = subprocess.run([o.helper, log, "env", *env, *o.cmd], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if r.returncode == 77:
            print("ptrace is not permitted here, or the kernel is too old")
            return 77
        if r.returncode != 0 or not os.path.exists(keep):
            print("status %d, %s: %s" % (r.returncode, "a trace" if os.path.exists(keep)
                                         else "no trace", r.stdout.decode(errors="replace")[:2000]))
            return 2
        lines = [line.rstrip("\n").split("\t") for line in open(log)]
        lost, seen = missing([(int(pid), *rest) for pid, *rest in lines], read_trace(keep))
        if seen < o.least:
            print("only %d calls were seen: the audit is blind" % seen)
            return 2
        for call in lost:
            print("missed: %s of %s by %s (%d, from %s)"
                  % (call[1], call[2], call[3], call[0], call[4]))
        return 1 if lost else 0
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
