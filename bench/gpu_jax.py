#!/usr/bin/env python3
"""bench/gpu_jax.py [--rounds N] [--flags XLA_FLAGS] [--only START]... [--keep DIR] - measures JAX
on a GPU (bench/gpu_jax_job.py).

Each start is that of a new container: empty home, temporary directory and driver cache. Starts of
four kinds take turns: plain; under Reprise by LD_PRELOAD alone (ptxas and what else XLA starts);
under `reprise-run --jax`; and plain with JAX's own cache, warm. Each of the two kinds under Reprise
has the store that its own first start filled. Prints the seconds of the first step, ratios of
medians, how often ptxas and nvJitLink ran and were hits in each start (XLA starts ptxas, or links
by nvJitLink in its process), and whether the results are equal. Needs jax with CUDA, no network.
--keep writes the starts' logs and what explain says to DIR."""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(HERE), "build")
p = argparse.ArgumentParser()
p.add_argument("--rounds", type=int, default=3)
p.add_argument("--flags", default="")
p.add_argument("--only", action="append", help="only these of the starts")
p.add_argument("--keep")
a = p.parse_args()
root = tempfile.mkdtemp(prefix="reprise-jax-")
OWN, LOG = os.path.join(root, "own"), os.path.join(root, "log")
base = {k: v for k, v in os.environ.items()
        if not k.startswith(("REPRISE_", "LD_PRELOAD", "JAX_", "XLA_"))}
base.update(HOME=OWN + "/home", TMPDIR=OWN + "/tmp", CUDA_CACHE_PATH=OWN + "/driver",
            XLA_PYTHON_CLIENT_PREALLOCATE="false")
if a.flags:
    base["XLA_FLAGS"] = a.flags
serial = 0
JOB = [sys.executable, os.path.join(HERE, "gpu_jax_job.py")]
OWN_CACHE = {"JAX_COMPILATION_CACHE_DIR": root + "/jax",
             "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
             "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
             "JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES": "none"}


def reprise(name, preload):
    env = {"REPRISE_CACHE_DIR": os.path.join(root, "store-" + name),
           "REPRISE_RUNTIME_DIR": os.path.join(root, "run-" + name), "REPRISE_LOG": LOG,
           "REPRISE_LOG_LEVEL": "info"}
    if preload:
        env["LD_PRELOAD"] = os.path.join(BUILD, "libreprise.so")
    return env


RUN = [os.path.join(os.path.dirname(HERE), "scripts", "reprise-run"), "--jax", "--quiet", "--"]
KINDS = {"plain": (JOB, {}), "preload": (JOB, reprise("preload", True)),
         "--jax": (RUN + JOB, reprise("jax", False)), "own cache": (JOB, OWN_CACHE)}


COUNTERS = ("nvjitlink_hits", "nvjitlink_misses", "bypasses", "brought_jax")


def counters(env):
    """What is counted in the store of a kind of start, over all of its starts."""
    if not env.get("REPRISE_CACHE_DIR"):
        return dict.fromkeys(COUNTERS, 0)
    said = subprocess.run([os.path.join(BUILD, "reprise"), "stats", "--json"], text=True,
                          env={**base, **env, "LD_PRELOAD": ""}, stdout=subprocess.PIPE).stdout
    return {k: json.loads(said or "{}").get(k) or 0 for k in COUNTERS}


def start(kind):
    argv, env = KINDS[kind]
    before = counters(env)
    shutil.rmtree(OWN, ignore_errors=True)
    for d in ("home", "tmp", "driver"):
        os.makedirs(os.path.join(OWN, d))
    if os.path.exists(LOG):
        os.unlink(LOG)
    r = subprocess.run(argv, env={**base, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       text=True)
    if r.returncode:
        raise SystemExit("%s: status %d\n%s" % (kind, r.returncode, r.stderr[-3000:]))
    figures = json.loads(r.stdout.splitlines()[-1])
    # The last program is packed after the job has ended.
    if env.get("REPRISE_CACHE_DIR"):
        subprocess.run([os.path.join(BUILD, "reprise"), "publish", "--wait=20"],
                       env={**base, **env, "LD_PRELOAD": ""}, stderr=subprocess.DEVNULL)
    after = counters(env)
    figures.update({k: after[k] - before[k] for k in COUNTERS})
    text = open(LOG).read() if os.path.exists(LOG) else ""
    if a.keep and env:
        global serial
        serial += 1
        said = subprocess.run([os.path.join(BUILD, "reprise"), "explain", "100"],
                              env={**base, **env, "LD_PRELOAD": ""}, stdout=subprocess.PIPE,
                              text=True).stdout
        with open(os.path.join(a.keep, "%d-%s.txt" % (serial, kind.strip("-"))), "w") as f:
            f.write(text + said)
    for verdict in ("hit", "miss", "unstored"):
        figures["ptxas " + verdict] = len(re.findall(r" ptxas: %s" % verdict, text))
    return figures


KINDS = {k: v for k, v in KINDS.items() if not a.only or k in a.only or k == "plain"}


def tell(kind, f):
    return ("%s: first step %.2f s, whole %.2f s; ptxas: %d hits, %d misses, %d not stored; "
            "nvJitLink: %d hits, %d misses; without Reprise: %d; JAX's cache: %d hits, %d misses, "
            "%d files placed" % (kind, f["first"], f["whole"], f["ptxas hit"], f["ptxas miss"],
                                 f["ptxas unstored"], f["nvjitlink_hits"], f["nvjitlink_misses"],
                                 f["bypasses"], f["hits"], f["misses"], f["brought_jax"]))


start("plain")  # reads the libraries from the disk once
figures = {k: [] for k in KINDS}
for kind in KINDS:
    if kind != "plain":
        f = start(kind)
        print("cold, " + tell(kind, f), flush=True)
        figures.setdefault("cold " + kind, []).append(f)
for number in range(a.rounds):
    for kind in KINDS:
        f = start(kind)
        figures[kind].append(f)
        print("warm, " + tell(kind, f), flush=True)
plain = statistics.median(f["first"] for f in figures["plain"])
for kind in figures:
    print("%s / plain, first step: %.3f; platform %s; results %s" % (
        kind, statistics.median(f["first"] for f in figures[kind]) / plain,
        figures[kind][0]["platform"],
        "equal" if len({f["digest"] for f in figures[kind] + figures["plain"]}) == 1 else "differ"))
shutil.rmtree(root, ignore_errors=True)
