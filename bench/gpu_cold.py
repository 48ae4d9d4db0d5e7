#!/usr/bin/env python3
"""bench/gpu_cold.py [--mode MODE] [--rounds N] [--threads N]... [--layers N] [--part PART]
[--cc PATH] [--variant NAME]... [--redis BINARY] - what a cold start costs under Reprise, on a node
with a GPU.

The job (bench/gpu_job.py) starts with all caches empty, plain and under Reprise in turns. Each
start has directories, a store and a runtime directory of its own. --threads: Inductor's compile
workers (TORCHINDUCTOR_COMPILE_THREADS). Prints each round's first step and wall time in seconds,
what Reprise counted in the first round, and the medians of the ratios. Variants say where the time
goes:

  local    the local store alone
  redis    also Redis on a unix socket, empty at first
  hooks    REPRISE_FORCE_DISABLE=1: the object is mapped, and does nothing
  tools    REPRISE_CLASSES=none: starts of compilers alone
  units    REPRISE_TOOLS leaves out all compilers: framework directories alone
"""
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
BUILD = os.path.join(os.path.dirname(HERE), "build")
VARIANTS = {
    "local": {}, "redis": {}, "hooks": {"REPRISE_FORCE_DISABLE": "1"},
    "tools": {"REPRISE_CLASSES": "none"},
    "units": {"REPRISE_TOOLS": "-gcc,-g++,-cc1,-cc1plus,-as,-collect2,-ld,-ptxas,-ptxas-blackwell"},
}

p = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter,
                            description=__doc__)
p.add_argument("--mode", default="default")
p.add_argument("--rounds", type=int, default=5)
p.add_argument("--threads", type=int, action="append")
p.add_argument("--layers", type=int, default=2)
p.add_argument("--part", choices=["mlp", "mm"], help="JOB_PART of bench/gpu_job.py")
p.add_argument("--cc")
p.add_argument("--variant", action="append", choices=sorted(VARIANTS))
p.add_argument("--redis", default="redis-server")
p.add_argument("--object", default=os.path.join(BUILD, "libreprise.so"))
p.add_argument("--log", help="the file that gets Reprise's logs, one start after the other")
p.add_argument("--seconds", type=float, default=1e9, help="begin no pair after this time")
a = p.parse_args()
began = time.time()
reprise = os.path.join(os.path.dirname(a.object), "reprise")


def job(variant, threads):
    """One cold start. variant None: plain."""
    root = tempfile.mkdtemp(prefix="reprise-cold-")
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("REPRISE_", "TORCHINDUCTOR_", "TRITON_", "LD_PRELOAD"))}
    env.update(TORCHINDUCTOR_CACHE_DIR=root + "/inductor", TRITON_CACHE_DIR=root + "/triton",
               HOME=root, TMPDIR=root + "/tmp", JOB_LAYERS=str(a.layers))
    os.makedirs(env["TMPDIR"])
    if threads:
        env["TORCHINDUCTOR_COMPILE_THREADS"] = str(threads)
    if a.cc:
        env["CC"] = a.cc
    if a.part:
        env["JOB_PART"] = a.part
    server = None
    if variant:
        env.update(LD_PRELOAD=a.object, REPRISE_CACHE_DIR=root + "/store",
                   REPRISE_RUNTIME_DIR=root + "/run", REPRISE_LOG_LEVEL="info",
                   REPRISE_LOG=root + "/log", **VARIANTS[variant])
    if variant == "redis":
        socket = root + "/redis.sock"
        server = subprocess.Popen([a.redis, "--port", "0", "--unixsocket", socket, "--save", "",
                                   "--appendonly", "no", "--dir", root],
                                  stdout=subprocess.DEVNULL)
        while not os.path.exists(socket):
            time.sleep(0.02)
        env["REPRISE_REDIS_URL"] = "redis+unix://" + socket
    t = time.time()
    r = subprocess.run([sys.executable, os.path.join(HERE, "gpu_job.py"), a.mode, "2"], env=env,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wall = time.time() - t
    if r.returncode:
        sys.exit("status %d\n%s" % (r.returncode, r.stderr[-3000:]))
    v = json.loads([line for line in r.stdout.splitlines() if line.startswith("{")][-1])
    v["wall"] = wall
    v["said"] = ""
    if variant:
        env.pop("LD_PRELOAD")
        d = json.loads(subprocess.run([reprise, "stats", "--json"], env=env, text=True,
                                      stdout=subprocess.PIPE).stdout or "{}")
        v["said"] = " ".join("%s=%s" % (k, d[k]) for k in (
            "hits_local", "misses", "unstored", "bypasses", "waits", "waited_seconds",
            "lease_waits", "lease_waited_seconds", "units_missed", "units_wait_seconds",
            "units_offered") if d.get(k))
        subprocess.run(["pkill", "-f", "reprise-agent|reprise publish --daemon"])
        if a.log and os.path.exists(root + "/log"):
            with open(a.log, "a") as out, open(root + "/log") as log:
                out.write("== %s, %s threads\n" % (variant, threads) + log.read())
    if server:
        server.kill()
        server.wait()
    shutil.rmtree(root, ignore_errors=True)
    return v


job(None, 0)  # warms the page cache
variants = [None] + (a.variant or ["local"])
for threads in a.threads or [0]:
    first, walls = {v: [] for v in variants}, {v: [] for v in variants}
    for i in range(a.rounds):
        if time.time() - began > a.seconds:
            break
        turn = i % len(variants)
        v = {name: job(name, threads) for name in variants[turn:] + variants[:turn]}
        print("  " + "  ".join("%s %.2f, wall %.2f" % (n or "plain", v[n]["first_step"],
                                                       v[n]["wall"]) for n in variants))
        for n in variants:
            first[n].append(v[n]["first_step"] / v[None]["first_step"])
            walls[n].append(v[n]["wall"] / v[None]["wall"])
            if i == 0 and v[n]["said"]:
                print("    %s: %s" % (n, v[n]["said"]))
        sys.stdout.flush()
    for n in variants[1:] if first[None] else []:
        print("== %s, %s, threads %s, %s, CC %s: first step %.3f, wall %.3f of plain "
              "(medians of %d rounds)" % (
                  a.mode, n, threads or "default", a.part or "layers %d" % a.layers,
                  a.cc or "default",
                  statistics.median(first[n]), statistics.median(walls[n]), len(first[n])),
              flush=True)
