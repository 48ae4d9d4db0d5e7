#!/usr/bin/env python3
"""bench/gpu.py [--mode MODE]... [--rounds N] [--ranks N] [--steps N] [--deterministic] [--redis
BINARY] [--out DIR] [--only START]... [--keep-ptx FILE] - measures framework cache directories on a
GPU.

The job (bench/gpu_job.py) starts plain and cold, then under Reprise and cold, with Redis on a unix
socket. Then three kinds of starts take turns. The first has the framework's own warm directories,
without and with Reprise. The second is a new node that has Redis alone: directories, local store
and runtime directory are emptied. The third is a container that has the local store. Needs torch
with CUDA, no network. Prints the first steps in seconds, ratios of medians, and how often ptxas ran
in the cold starts. Logs go to DIR. --keep-ptx writes the PTX of at most 600 kernels of the plain
cold start to FILE, for tests/long/ptx_corpus.py --texts."""
import argparse
import collections
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(HERE), "build")

p = argparse.ArgumentParser()
p.add_argument("--mode", action="append")
p.add_argument("--rounds", type=int, default=5)
p.add_argument("--steps", type=int, default=3)
p.add_argument("--ranks", type=int, default=1)
p.add_argument("--redis", default="redis-server")
p.add_argument("--object", default=os.path.join(BUILD, "libreprise.so"))
p.add_argument("--out", default=None)
p.add_argument("--no-plain-cold", action="store_true")
p.add_argument("--deterministic", action="store_true",
               help="torch's deterministic algorithms: losses can be compared")
p.add_argument("--keep-ptx", metavar="FILE.tar.xz")
p.add_argument("--only", action="append", help="only these of the starts that take turns")
p.add_argument("--tell", action="store_true", help="what each start found and missed")
a = p.parse_args()
root = tempfile.mkdtemp(prefix="reprise-gpu-")
out = a.out or root
os.makedirs(out, exist_ok=True)
FW, STORE, RUN = (os.path.join(root, d) for d in ("fw", "store", "run"))
reprise = os.path.join(os.path.dirname(a.object), "reprise")
socket = os.path.join(root, "redis.sock")
redis = subprocess.Popen([a.redis, "--port", "0", "--unixsocket", socket, "--save", "",
                          "--appendonly", "no", "--maxmemory", "8gb", "--dir", root],
                         stdout=open(os.path.join(out, "redis.log"), "w"))
while not os.path.exists(socket):
    time.sleep(0.02)

base = {k: v for k,
        v in os.environ.items() if not k.startswith(("REPRISE_", "TORCHINDUCTOR_", "TRITON_",
                                                     "LD_PRELOAD"))}
base.update(TORCHINDUCTOR_CACHE_DIR=os.path.join(FW, "inductor"), TMPDIR=os.path.join(FW, "tmp"),
            HOME=os.path.join(root, "home"))
os.makedirs(base["HOME"], exist_ok=True)
if a.deterministic:
    base.update(JOB_DETERMINISTIC="1", CUBLAS_WORKSPACE_CONFIG=":4096:8")
under = {"LD_PRELOAD": a.object, "REPRISE_CACHE_DIR": STORE, "REPRISE_RUNTIME_DIR": RUN,
         "REPRISE_REDIS_URL": "redis+unix://" + socket, "REPRISE_LOG_LEVEL": "info"}
serial = 0


def wipe(*paths):
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)


def kill_ours():
    """Kills the agents and publishers of a node that the next start replaces."""
    subprocess.run(["pkill", "-f", "reprise-agent|reprise publish --daemon"])


def job(name, mode, env):
    global serial
    serial += 1
    os.makedirs(base["TMPDIR"], exist_ok=True)
    command = [sys.executable]
    if a.ranks > 1:
        command += ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(a.ranks)]
    command += [os.path.join(HERE, "gpu_job.py"), mode, str(a.steps)]
    log = os.path.join(out,
                       "%02d-%s-%s.log" % (serial, mode, name.replace(", ", "-").replace(" ", "-")))
    t = time.time()
    with open(log, "w") as e:
        r = subprocess.run(command, env={**base, **env}, stdout=subprocess.PIPE, stderr=e,
                           text=True)
    if r.returncode:
        sys.exit("%s: status %d\n%s" % (name, r.returncode, open(log).read()[-3000:]))
    v = json.loads([l for l in r.stdout.splitlines() if l.startswith("{")][-1])
    v["wall"] = round(time.time() - t, 2)
    print("%-28s first step %8.3f s  wall %7.2f s  fx %d/%d aot %d/%d  %s" % (
        name, v["first_step"], v["wall"], v["fx_hit"], v["fx_miss"], v["aot_hit"], v["aot_miss"],
        v["losses"][-1]), flush=True)
    return v


def stats():
    r = subprocess.run([reprise, "stats", "--json"], env={**base, **under}, stdout=subprocess.PIPE,
                       text=True)
    return json.loads(r.stdout or "{}")


def holds(path):
    """Counts the units of the framework's directories by kind."""
    found = {"kernels": set(), "best_config": set(), "graphs": set(), "cache": set()}
    for at, _, files in os.walk(path):
        for f in files:
            if f.startswith("__grp__"):
                found["kernels"].add(os.path.basename(at))
            elif f.endswith(".best_config"):
                found["best_config"].add(f)
            elif "/fxgraph/" in at or "/aotautograd/" in at:
                found["graphs"].add(f)
            elif at.endswith("/cache"):
                found["cache"].add(f)
    return found


def tell(what, before):
    now = holds(FW)
    print("    %s: %s" % (what, ", ".join("%s %d, %d not of before, %d of before gone" % (
        k, len(now[k]), len(now[k] - before[k]), len(before[k] - now[k])) for k in now)),
          flush=True)
    d = stats()
    shown = ["%s=%s" % (k, v) for k, v in d.items()
             if isinstance(v, int) and v and not k.startswith("reason_")]
    print("    " + " ".join(shown), flush=True)
    for line in open(os.path.join(STORE, "log")) if d.get("misses", 0) < 20 else ():
        if ": miss: " in line or ": shown " in line:
            print("      " + line.split(" info ")[-1].strip(), flush=True)


def kernels(path):
    """Counts the kernels that a start compiled; a kernel of two ranks counts twice."""
    return len(glob.glob(os.path.join(path, "**", "*.cubin"), recursive=True))


def answers():
    """Counts what Reprise's log says of the compilers: `ptxas: miss` is a real run."""
    count = collections.Counter()
    with open(os.path.join(STORE, "log")) as f:
        for line in f:
            m = re.match(r"\S+ \d+ info (\S+): (hit|miss)\b", line)
            if m:
                count["%s %s" % m.groups()] += 1
    return dict(count)


def keep_ptx(path, archive, most=600):
    found = sorted(glob.glob(os.path.join(path, "**", "*.ptx"), recursive=True))
    with tarfile.open(archive, "w:xz") as t:
        for i, f in enumerate(found[::max(1, len(found) // most)][:most]):
            t.add(f, "%04d-%s" % (i, os.path.basename(f)))


def counted(d, *names):
    return " ".join("%s=%s" % (n, d.get(n)) for n in names)


try:
    for mode in a.mode or ["default"]:
        wipe(FW, STORE, RUN)
        plain = None if a.no_plain_cold else job("plain cold", mode, {})
        if plain:
            print("    %d kernels compiled" % kernels(FW), flush=True)
            if a.keep_ptx:
                keep_ptx(FW, a.keep_ptx)
            subprocess.run(["cp", "-a", FW, FW + ".plain"])
        wipe(FW)
        cold = job("reprise cold", mode, under)
        print("    compilers: %s" % answers(), flush=True)
        t = time.time()
        subprocess.run([reprise, "publish", "--wait", "120"], env={**base, **under}, check=False)
        print("published in %.1f s: %s" % (time.time() - t,
                                           counted(stats(), "units_offered", "units_packed",
                                                   "units_dropped", "units_bytes", "published",
                                                   "remote_bytes_out", "misses", "hits_local",
                                                   "errors")), flush=True)
        own = holds(FW)
        if a.tell:
            tell("cold", own)
        subprocess.run(["cp", "-a", FW, FW + ".own"])
        source = FW + (".plain" if plain else ".own")
        times = {}
        for i in range(a.rounds):
            for name in a.only or ("stock warm", "reprise warm", "fresh, Redis",
                                   "fresh, local store"):
                wipe(FW)
                if name.endswith("warm"):
                    subprocess.run(["cp", "-a", source, FW])
                if name == "fresh, Redis":
                    kill_ours()
                    wipe(STORE, RUN)
                v = job(name, mode, {} if name == "stock warm" else under)
                times.setdefault(name, []).append(v)
                if a.tell:
                    tell(name, own)
                if name == "fresh, Redis":
                    # reprise-run publishes at the end of a job, so that the next node finds what
                    # this node was the first to make. This start does the same.
                    subprocess.run([reprise, "publish", "--wait", "10"], env={**base, **under},
                                   check=False)
                    d = stats()
                    v["bytes_in"] = d.get("remote_bytes_in")
                    if i == 0:
                        print("    " + counted(d, "units_brought", "units_missed", "brought_triton",
                                               "brought_fxgraph", "brought_aotautograd",
                                               "brought_autotune", "brought_gemm",
                                               "remote_bytes_in", "remote_asked", "remote_wait_ns",
                                               "hits_remote", "misses", "errors",
                                               "remote_timeouts"), flush=True)
        if not times:
            continue
        base_name = "stock warm" if "stock warm" in times else next(iter(times))
        warm = statistics.median(v["first_step"] for v in times[base_name])
        print("== %s, %d rank(s): medians of %d rounds" % (mode, a.ranks, a.rounds))
        if plain:
            print("   plain cold %.2f s; under Reprise cold %.2f s; ratio %.2f, of the whole job's "
                  "wall time %.2f" % (plain["first_step"], cold["first_step"],
                                      cold["first_step"] / plain["first_step"],
                                      cold["wall"] / plain["wall"]))
        for name, v in times.items():
            m = statistics.median(x["first_step"] for x in v)
            print("   %-20s %7.3f s  / %s %.3f%s" % (name, m, base_name, m / warm,
                                                     "  read from Redis %.1f MB" %
                                                     (statistics.median(x["bytes_in"]
                                                                        for x in v) / 1e6)
                                                     if "bytes_in" in v[0] and v[0]["bytes_in"]
                                                     else ""))
        of = {name: len({tuple(x["losses"]) for x in v}) for name, v in times.items()}
        same = {tuple(x["losses"]) for v in list(times.values()) + [[cold],
                                                                    [plain] if plain else []]
                for x in v}
        print("   series of losses that differ: %d in all; within %s" % (len(same), of), flush=True)
        json.dump({"mode": mode, "ranks": a.ranks, "plain": plain, "cold": cold, "rounds": times},
                  open(os.path.join(out, "result-%s-%d.json" % (mode, a.ranks)), "w"), indent=1)
        wipe(FW + ".plain", FW + ".own")
finally:
    kill_ours()
    redis.terminate()
    shutil.copy(os.path.join(STORE, "log"),
                out) if os.path.exists(os.path.join(STORE, "log")) else None
    shutil.rmtree(root, ignore_errors=True)
