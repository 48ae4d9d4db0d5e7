#!/usr/bin/env python3
"""tests/gpu/nvcc_runs.py [--object LIB] [--no-run] - nvcc's results are replayed, linked and run.

Each form is built plain, under Reprise with an empty store, and again from the store (all hits).
Each build is linked and run; all runs must print the same. Then host code is edited: unchanged
steps are replayed, and the program prints the edit. At last three checkouts whose objects hold a
hash of their path: the third is replayed with its own hashes. Needs nvcc and a GPU; --no-run only
builds and links. TAP on stdout; status 1 if anything failed.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
p = argparse.ArgumentParser()
p.add_argument("--object", default=os.path.join(HERE, "..", "..", "build", "libreprise.so"))
p.add_argument("--no-run", action="store_true")
a = p.parse_args()
LIBRARY = os.path.abspath(a.object)
REPRISE = os.path.join(os.path.dirname(LIBRARY), "reprise")
ROOT = tempfile.mkdtemp(prefix="reprise-nvcc-")
ENV = {k: v for k, v in os.environ.items() if not k.startswith("REPRISE_") and k != "LD_PRELOAD"}
UNDER = {"LD_PRELOAD": LIBRARY, "REPRISE_CACHE_DIR": ROOT + "/store",
         "REPRISE_RUNTIME_DIR": ROOT + "/run", "REPRISE_STRICT": "1"}

PART = """
__device__ float twice(float x) { return 2 * x; }
"""
MAIN = """
#include <cstdio>
#ifdef PARTS
extern __device__ float twice(float x);
#else
static __device__ float twice(float x) { return 2 * x; }
#endif
__constant__ float table[4] = {1, 2, 3, 4};
namespace { __device__ int counter; }
template <class T> __global__ void k(T *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { o[i] = twice(T(i)) + table[i %% 4]; atomicAdd(&counter, 1); }
}
extern "C" int work() {
    float *o, sum = 0, h[256];
    if (cudaMalloc(&o, sizeof h)) { puts("no GPU"); return 1; }
    k<float><<<4, 64>>>(o, 256);
    cudaError_t e = cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++) sum += h[i];
    int n = 0;
    cudaMemcpyFromSymbol(&n, counter, sizeof n);
    printf("%d: %%s %%.1f %%d\\n", cudaGetErrorString(e), sum, n);
    return 0;
}
#ifndef SHARED
int main() { return work(); }
#endif
"""
# Name, commands in order ({s}: the source; outputs below the working directory), how it is run.
RUN = ["./prog"]
LOAD = [sys.executable, "-c", "import ctypes, sys; sys.exit(ctypes.CDLL('./libk.so').work())"]
FORMS = [
    ("-c and a link", [["-c", "m.cu", "-o", "m.o"], ["m.o", "-o", "prog"]], RUN),
    ("compile and link in one", [["m.cu", "-o", "prog"]], RUN),
    ("for two architectures and PTX", [["-gencode", "arch=compute_80,code=sm_80", "-gencode",
                                        "arch=compute_90,code=[sm_90,compute_90]",
                                        "-c", "m.cu", "-o", "m.o"], ["m.o", "-o", "prog"]], RUN),
    ("PTX alone, for the driver to compile",
     [["-gencode", "arch=compute_75,code=compute_75", "-c", "m.cu", "-o", "m.o"],
                                              ["m.o", "-o", "prog"]], RUN),
    ("-dc, -dlink, a link", [["-DPARTS", "-arch=sm_90", "-dc", "m.cu", "-o", "m.o"],
                             ["-arch=sm_90", "-dc", "part.cu", "-o", "part.o"],
                             ["-arch=sm_90", "-dlink", "m.o", "part.o", "-o", "dlink.o"],
                             ["-arch=sm_90", "m.o", "part.o", "dlink.o", "-nodlink", "-o", "prog"]],
                             RUN),
    ("-rdc=true in one", [["-DPARTS", "-arch=sm_90", "-rdc=true", "m.cu", "part.cu", "-o", "prog"]],
     RUN),
    ("link time optimisation",
     [["-DPARTS", "-gencode", "arch=compute_90,code=lto_90", "-dc", "m.cu", "-o", "m.o"],
                                ["-gencode", "arch=compute_90,code=lto_90", "-dc", "part.cu", "-o",
                                 "part.o"],
                                ["-arch=sm_90", "-dlto", "m.o", "part.o", "-o", "prog"]], RUN),
    ("a shared library", [["-DSHARED", "-Xcompiler", "-fPIC", "-shared", "m.cu", "-o", "libk.so"]],
     LOAD),
    ("with debug information", [["-G", "-g", "-c", "m.cu", "-o", "m.o"], ["m.o", "-o", "prog"]],
     RUN),
    ("-arch=native", [["-arch=native", "-c", "m.cu", "-o", "m.o"], ["m.o", "-o", "prog"]], RUN),
]


def stats():
    r = subprocess.run([REPRISE, "stats", "--json"], env={**ENV, **UNDER}, stdout=subprocess.PIPE,
                       text=True, check=True)
    d = json.loads(r.stdout)
    return d["hits_local"], d["misses"], d["errors"]


def build(commands, run, env, number, place="w", plain=()):
    """Builds in a directory of the same name each time; returns the program's output. plain: more
    commands, without env."""
    work = os.path.join(ROOT, place)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for name, text in (("m.cu", MAIN % number), ("part.cu", PART)):
        with open(os.path.join(work, name), "w") as f:
            f.write(text)
        os.utime(os.path.join(work, name), (1700000000, 1700000000))
    for c in [*commands, *plain]:
        r = subprocess.run(["nvcc"] + c, cwd=work, env={**ENV, **({} if c in plain else env)},
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if r.returncode:
            raise RuntimeError("nvcc %s: status %d: %s"
                               % (" ".join(c), r.returncode, r.stdout[-800:]))
    if a.no_run:
        return "not run\n"
    r = subprocess.run(run, cwd=work, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True)
    if r.returncode:
        raise RuntimeError("the program: status %d: %s" % (r.returncode, r.stdout[-800:]))
    return r.stdout


failed = 0
print("1..%d" % (len(FORMS) + 1))
for i, (name, commands, run) in enumerate(FORMS):
    try:
        try:
            plain = build(commands, run, {}, 1)
        except RuntimeError as e:
            if "linker library load error" not in str(e):
                raise
            print("ok %d %s # SKIP this nvcc has no libnvvm for nvlink" % (i + 1, name), flush=True)
            continue
        cold = build(commands, run, UNDER, 1)
        before = stats()
        warm = build(commands, run, UNDER, 1)
        after = stats()
        edited = build(commands, run, UNDER, 2)
        end = stats()
        told = "%d hits of %d commands; after an edit %d hits, %d misses" % (
            after[0] - before[0], len(commands), end[0] - after[0], end[1] - after[1])
        if not plain == cold == warm:
            raise RuntimeError("plain says %r, cold %r, warm %r" % (plain, cold, warm))
        if not a.no_run and edited != plain.replace("1: ", "2: ", 1):
            raise RuntimeError("edited: %r" % edited)
        if after[2]:
            raise RuntimeError("%d errors inside Reprise" % after[2])
        if ("native" not in name and
            (after[1] != before[1] or after[0] - before[0] != len(commands))):
            raise RuntimeError("not all is replayed: " + told)
        print("ok %d %s\n# %s# %s" % (i + 1, name, plain, told), flush=True)
    except RuntimeError as e:
        failed = 1
        print("not ok %d %s\n# %s" % (i + 1, name, str(e).replace("\n", "\n# ")), flush=True)
try:
    said, took = [], []
    commands, link = ([["-gencode", "arch=compute_90,code=sm_90", "-c", "m.cu", "-o", "m.o"]],
                      [["m.o", "-o", "prog"]])
    for place in ("checkout1", "checkout2", "checkout3"):
        before = stats()
        said.append(build(commands, RUN, {**UNDER, "REPRISE_BASE_DIRS": os.path.join(ROOT, place)},
                          1, place, link))
        after = stats()
        took.append("%d hits, %d misses" % (after[0] - before[0], after[1] - before[1]))
    plain = build(commands + link, RUN, {}, 1, place)
    if said != [plain] * 3:
        raise RuntimeError("plain says %r, the checkouts %r" % (plain, said))
    if took[2] != "1 hits, 0 misses":
        raise RuntimeError("not all is replayed: " + "; ".join(took))
    print("ok %d three checkouts\n# %s# %s" % (len(FORMS) + 1, plain, "; ".join(took)), flush=True)
except RuntimeError as e:
    failed = 1
    print("not ok %d three checkouts\n# %s" % (len(FORMS) + 1, str(e).replace("\n", "\n# ")),
          flush=True)
shutil.rmtree(ROOT, ignore_errors=True)
sys.exit(failed)
