"""A project of two .cu files and a header is edited at random, again and again. After each edit
nvcc builds it under Reprise and plain. The objects must be equal but for nvcc's pid. Edits go back
and forth, so that stored results are used again.

    nvcc_edits.py EDITS LIBRARY DIRECTORY [SEED]

Prints one line of counts. Status 1 and the edit's number at the first difference."""

import os
import random
import re
import subprocess
import sys

EDITS, LIBRARY, PLACE = int(sys.argv[1]), sys.argv[2], sys.argv[3]
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
PID = re.compile(rb"tmpxft_[0-9a-f]{8}_")
state = {"host": 1, "both": 1, "device": 1, "header": 1, "lines": 0, "anonymous": 0, "flags": 0,
         "archs": 0, "variable": 0,
         "time": 0, "tool": 0, "shadow": 0}
FLAGS = ([], ["-O1"], ["-lineinfo"], ["-rdc=true"], ["-DEXTRA"], ["-Xptxas", "-O1"],
         ["--use_fast_math"], ["-Xcompiler", "-O2"])
ARCHS = ([], ["-arch=sm_80"],
         ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90"])
HOSTS = (["-ccbin", "g++"], ["-ccbin", "clang++", "-allow-unsupported-compiler"])
CHOICES = {"host": 4, "both": 4, "device": 4, "header": 3, "lines": 3, "anonymous": 2,
           "flags": len(FLAGS), "archs": len(ARCHS),
           "variable": 3, "time": 3, "tool": len(HOSTS), "shadow": 2}


def put(name, text):
    """Writes only changed files: the times of others stay."""
    path = os.path.join(PLACE, "w", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or open(path).read() != text:
        with open(path, "w") as f:
            f.write(text)


def write():
    s = state
    put("inc/h.h", f"#define SCALE {s['header']}.0f\n")
    shadow = os.path.join(PLACE, "w", "early", "h.h")
    os.makedirs(os.path.dirname(shadow), exist_ok=True)
    if s["shadow"]:
        put("early/h.h", "#define SCALE 9.0f\n")
    elif os.path.exists(shadow):
        os.unlink(shadow)
    put("a.cu", "// a line\n" * s["lines"] + f"""#include "h.h"
#ifdef EXTRA
#define MORE 5
#else
#define MORE 0
#endif
{"namespace {" if s["anonymous"] else ""}
__global__ void k(float *x) {{ x[threadIdx.x] = SCALE * x[threadIdx.x] + {s["device"]} + MORE; }}
{"}" if s["anonymous"] else ""}
#ifndef __CUDA_ARCH__
int host_only(void) {{ return {s["host"]}; }}
#else
int host_only(void);
#endif
int both(void) {{ return {s["both"]}; }}
void launch(float *x) {{ k<<<1, 32>>>(x); }}
""")
    put("b.cu", f"#include \"h.h\"\n"
        f"__global__ void q(int *p) {{ *p = int(SCALE) * {s['device'] + s['both']}; }}\n")
    if s["time"]:
        os.utime(os.path.join(PLACE, "w", "a.cu"), (1600000000 + s["time"], 1600000000 + s["time"]))


def build(preload):
    env = dict(os.environ)
    if state["variable"]:
        env["NVCC_APPEND_FLAGS"] = f"-DV={state['variable']}"
    if preload:
        env.update(LD_PRELOAD=LIBRARY, REPRISE_CACHE_DIR=os.path.join(PLACE, "store"),
                   REPRISE_STRICT="1",
                   REPRISE_RUNTIME_DIR=os.path.join(PLACE, "runtime"),
                   REPRISE_LOG=os.path.join(PLACE, "log"), REPRISE_LOG_LEVEL="info")
    done = []
    for name in ("a", "b"):
        out = os.path.join(PLACE, "w", name + ".o")
        if os.path.exists(out):
            os.unlink(out)
        ran = subprocess.run(["nvcc", *HOSTS[state["tool"]], "-Iearly", "-Iinc",
                              *FLAGS[state["flags"]], *ARCHS[state["archs"]], "-c",
                              name + ".cu", "-o", name + ".o"], cwd=os.path.join(PLACE, "w"),
                              env=env, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        data = open(out, "rb").read() if os.path.exists(out) else b""
        done.append((ran.returncode, PID.sub(b"tmpxft_", ran.stdout), PID.sub(b"tmpxft_", data)))
    return done


choice = random.Random(SEED)
os.makedirs(os.path.join(PLACE, "runtime"), mode=0o700, exist_ok=True)
for n in range(EDITS):
    what = choice.choice(sorted(CHOICES))
    state[what] = choice.randrange(CHOICES[what])
    write()
    ours, real = build(True), build(False)
    if ours != real:
        print(f"edit {n}: {what} is {state[what]}: {state}", file=sys.stderr)
        for x, y in zip(ours, real):
            print(x[:2], len(x[2]), y[:2], len(y[2]), file=sys.stderr)
        sys.exit(1)
    if any(x[0] for x in real):
        sys.exit(f"edit {n}: the plain build fails: {real}")
log = open(os.path.join(PLACE, "log")).read() if EDITS else ""
print(f"{EDITS} edits, 0 differences; nvcc: {len(re.findall('nvcc: hit', log))} hits, "
      f"{len(re.findall('nvcc: miss', log))} misses; "
      f"below it cicc {len(re.findall('cicc: hit', log))} and "
      f"{len(re.findall('cicc: miss', log))}, "
      f"ptxas {len(re.findall('ptxas: hit', log))} and {len(re.findall('ptxas: miss', log))}; "
      f"{len(re.findall(': unstored', log))} not stored")
