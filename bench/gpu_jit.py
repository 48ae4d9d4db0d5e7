#!/usr/bin/env python3
"""bench/gpu_jit.py [--object LIB] [--rounds N] [--cold N] [--only JOB]... - measures compilers
inside the process on a GPU (bench/gpu_jit_job.py).

Each job starts with all of its own caches empty. Plain starts and starts under Reprise take turns:
first --cold pairs with the store emptied before each, then --rounds pairs with the last one's
store. Prints the seconds of the first use of the job's kernels and the ratios of medians. Needs
torch and CuPy with CUDA, no network."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
p = argparse.ArgumentParser()
p.add_argument("--object", default=os.path.join(os.path.dirname(HERE), "build", "libreprise.so"))
p.add_argument("--rounds", type=int, default=3)
p.add_argument("--cold", type=int, default=1)
p.add_argument("--only", action="append")
a = p.parse_args()
root = tempfile.mkdtemp(prefix="reprise-jit-")
OWN = os.path.join(root, "own")
base = {k: v for k, v in os.environ.items() if not k.startswith(("REPRISE_", "LD_PRELOAD"))}
base.update(CUPY_CACHE_DIR=OWN + "/cupy", PYTORCH_KERNEL_CACHE_PATH=OWN + "/kernels",
            CUDA_CACHE_PATH=OWN + "/driver", HOME=OWN + "/home", TMPDIR=OWN + "/tmp")
under = {"LD_PRELOAD": a.object, "REPRISE_CACHE_DIR": os.path.join(root, "store"),
         "REPRISE_RUNTIME_DIR": os.path.join(root, "run"), "REPRISE_LOG_LEVEL": "info"}
failed = 0


def start(job, env, keep=False):
    if not keep:
        shutil.rmtree(OWN, ignore_errors=True)
    for d in ("cupy", "kernels", "driver", "home", "tmp"):
        os.makedirs(os.path.join(OWN, d), exist_ok=True)
    r = subprocess.run([sys.executable, os.path.join(HERE, "gpu_jit_job.py"), job],
                       env={**base, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       text=True)
    if r.returncode:
        raise RuntimeError("%s: status %d\n%s" % (job, r.returncode, r.stderr[-2000:]))
    return json.loads(r.stdout.splitlines()[-1])


def stats():
    r = subprocess.run([os.path.join(os.path.dirname(a.object), "reprise"), "stats", "--json"],
                       env={**base, **under}, stdout=subprocess.PIPE, text=True)
    d = json.loads(r.stdout or "{}")
    return {k: d.get(k) for k in ("nvrtc_hits", "nvrtc_misses", "brought_jiterator", "errors",
                                  "reason_time", "reason_mixed") if d.get(k)}


for job in a.only or ("cupy", "jiterator", "driver-ptx", "driver-cubin"):
    try:
        start(job, {})  # reads the libraries from the disk once
        plain, cold, warm = [], [], []
        for number in range(a.cold):
            for env in ({}, under) if number % 2 else (under, {}):
                if env:
                    for d in (under["REPRISE_CACHE_DIR"], under["REPRISE_RUNTIME_DIR"]):
                        shutil.rmtree(d, ignore_errors=True)
                    os.mkdir(under["REPRISE_RUNTIME_DIR"], 0o700)
                (cold if env else plain).append(start(job, env))
        for _ in range(a.rounds):
            plain.append(start(job, {}))
            warm.append(start(job, under))
        again = start(job, {}, keep=True) if job.startswith("driver") else None
        for k in [k for k in plain[0] if k != "digest"]:
            m, c, n = (statistics.median(v[k] for v in s) for s in (plain, cold, warm))
            print("%s, %s: plain %.3f s, cold under Reprise %.3f s (%s / %s), warm %.4f s (%s): "
                  "warm / plain %.4f, cold / plain %.3f%s" % (
                      job, k, m, c, " ".join("%.2f" % v[k] for v in cold),
                      " ".join("%.2f" % v[k] for v in plain), n,
                      " ".join("%.4f" % v[k] for v in warm), n / m, c / m,
                      ", plain with the driver's own cache %.4f s" % again[k] if again else ""),
                  flush=True)
        print("    results: %s; %s" % ("equal"
                                       if len({v["digest"] for v in plain + warm + cold}) == 1
                                       else "DIFFER", stats()), flush=True)
    except Exception as e:
        failed = 1
        print("%s: %s" % (job, e), flush=True)
shutil.rmtree(root, ignore_errors=True)
sys.exit(failed)
