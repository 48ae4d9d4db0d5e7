#!/usr/bin/env python3
"""bench/gpu_triton.py [--object LIB] [--rounds N] [--workers N] [--part PART]... [--no-device]
[--seconds N] - measures a job with four Triton kernels of its own on a GPU
(bench/gpu_triton_job.py).

  cold     plain, and with Reprise and an empty store, in turns, on an empty directory
  fresh    plain with Triton's directory kept, with Reprise on a fresh directory and with Reprise
           on the kept one, in turns, where the local store is warm
  many     N processes at once with one empty directory: plain, and with Reprise and an empty
           store, in turns; then on a fresh node
  forks    as cold, but two processes, plain and with Reprise, import torch once, and each start
           is a fork of one of them. Many pairs fit into the time (--seconds: begin none after it)

Prints the seconds of the first launches, the ratio of medians, and how often a C compiler was
started. Needs torch and Triton with CUDA, and gcc; no network.

--no-device: compiles and loads all that the job needs, and launches nothing. Needs Triton and gcc;
up to Triton 3.6 there is a launcher in C for each kernel. In place of libcuda stands a library of
90 MB that defines the functions that Triton's C names."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
p = argparse.ArgumentParser()
p.add_argument("--object", default=os.path.join(os.path.dirname(HERE), "build", "libreprise.so"))
p.add_argument("--rounds", type=int, default=5)
p.add_argument("--workers", type=int, default=16)
p.add_argument("--part", action="append", choices=["cold", "fresh", "many", "forks"])
p.add_argument("--seconds", type=float, default=1e9)
p.add_argument("--no-device", action="store_true")
a = p.parse_args()
parts = a.part or ["cold", "fresh", "many"]
root = tempfile.mkdtemp(prefix="reprise-triton-")
KEPT, FRESH, STORE, RUN = (os.path.join(root, d) for d in ("kept", "fresh", "store", "run"))
base = {k: v for k, v in os.environ.items()
        if not k.startswith(("REPRISE_", "TRITON_CACHE", "LD_PRELOAD"))}
base.update(HOME=os.path.join(root, "home"), TMPDIR=os.path.join(root, "tmp"))
under = {"LD_PRELOAD": a.object, "REPRISE_CACHE_DIR": STORE,
         "REPRISE_RUNTIME_DIR": RUN, "REPRISE_LOG_LEVEL": "info"}
digests = set()
LIBCUDA = 90 << 20
if a.no_device:
    library = os.path.join(root, "libcuda.so.1")
    subprocess.run([sys.executable, os.path.join(HERE, "..", "tests", "e2e", "triton_native.py"),
                    "--libcuda", library], check=True)
    with open(library, "ab") as f:
        f.write(os.urandom(LIBCUDA))
    os.symlink("libcuda.so.1", os.path.join(root, "libcuda.so"))
    base.update(TRITON_LIBCUDA_PATH=root, LD_LIBRARY_PATH=root)


def wipe(*paths):
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)


def start(directory, env, *args):
    wipe(base["TMPDIR"])
    for d in base["HOME"], base["TMPDIR"]:
        os.makedirs(d, exist_ok=True)
    r = subprocess.run([sys.executable, os.path.join(HERE, "gpu_triton_job.py"),
                        *(["--no-device"] if a.no_device else []), *map(str, args)],
                       env={**base, **env, "TRITON_CACHE_DIR": directory},
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if r.returncode:
        raise SystemExit("status %d\n%s" % (r.returncode, r.stderr[-3000:]))
    said = json.loads(r.stdout.splitlines()[-1])
    digests.add(said["digest"])
    return said


def command(*args):
    return subprocess.run([os.path.join(os.path.dirname(a.object), "reprise"), *args],
                          env={**base, **under}, stdout=subprocess.PIPE, text=True).stdout


def fresh(env, *args):
    wipe(FRESH)
    return start(FRESH, env, *args)


def tell(what, starts):
    s = [v["seconds"] for v in starts]
    print("%s: %.3f s (%s), compilers started: %s" %
          (what, statistics.median(s), ", ".join("%.3f" % v for v in s),
           ", ".join(str(v["compilers"]) for v in starts)), flush=True)
    return statistics.median(s)


def cold_pairs(*args):
    pairs = []
    for i in range(a.rounds):
        wipe(STORE, RUN)
        # Each goes first in half of the pairs. What a start has made is packed before the next.
        first = fresh(under if i % 2 else {}, *args)
        command("publish", "--wait", "60")
        second = fresh({} if i % 2 else under, *args)
        command("publish", "--wait", "60")
        pairs.append((second, first) if i % 2 else (first, second))
    what = "%d processes" % a.workers if args else "one process"
    plain = tell("%s, cold node, plain" % what, [t[0] for t in pairs])
    cold = tell("%s, cold node, Reprise" % what, [t[1] for t in pairs])
    print("cold with Reprise / plain: %.3f" % (cold / plain), flush=True)
    tell("%s, fresh node" % what, [fresh(under, *args) for _ in range(a.rounds)])


def forks_pairs():
    waiting = {name: subprocess.Popen(
        [sys.executable, os.path.join(HERE, "gpu_triton_job.py"),
         *(["--no-device"] if a.no_device else []), "--forks"],
        env={**base, **env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name, env in (("plain", {}), ("Reprise", under))}
    took, began = [], time.time()
    while len(took) < a.rounds and time.time() - began < a.seconds:
        wipe(STORE, RUN)
        seconds = {}
        for name in sorted(waiting, reverse=len(took) % 2):
            wipe(FRESH)
            print(FRESH, file=waiting[name].stdin, flush=True)
            said = json.loads(waiting[name].stdout.readline())
            digests.add(said["digest"])
            seconds[name] = said["seconds"]
            command("publish", "--wait", "60")
        took.append((seconds["plain"], seconds["Reprise"]))
    for process in waiting.values():
        process.communicate()
    plain, cold = zip(*took)
    ratios = sorted(c / p for p, c in took)
    for name, seconds in ("plain", plain), ("Reprise", cold):
        print("forks, cold node, %d pairs: %s %s" % (
            len(took), name, " ".join(map("%.3f".__mod__, seconds))))
    print("forks, cold with Reprise / plain: medians %.3f, means %.3f, ratios: median %.3f, "
          "quartiles %.3f and %.3f" % (
              statistics.median(cold) / statistics.median(plain), sum(cold) / sum(plain),
              statistics.median(ratios), ratios[len(took) // 4], ratios[3 * len(took) // 4]),
          flush=True)


start(KEPT, {})  # reads the libraries from the disk once
if "cold" in parts:
    cold_pairs()
if "fresh" in parts:
    fresh(under)
    command("publish", "--wait", "60")
    turns = [(start(KEPT, {}), fresh(under), start(KEPT, under)) for _ in range(a.rounds)]
    kept = tell("plain, directory kept", [t[0] for t in turns])
    served = tell("Reprise, fresh directory", [t[1] for t in turns])
    tell("Reprise, directory kept", [t[2] for t in turns])
    print("fresh with Reprise / kept: %.3f" % (served / kept), flush=True)
if "forks" in parts:
    forks_pairs()
if "many" in parts:
    cold_pairs(a.workers)
print("results: %s" % ("equal" if len(digests) == 1 else "DIFFER"))
print(command("stats"))
wipe(root)
sys.exit(len(digests) != 1)
