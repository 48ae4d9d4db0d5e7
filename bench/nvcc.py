"""Rows about nvcc: a replay of the whole compile, a replay of its steps after an edit, and the cost
of recording. Without nvcc they are left out."""

import os
import re
import shutil
import subprocess
import time

from harness import CPU, Variant, median, milliseconds, ratios, rounds, spread

SMALL = """#include <cstdio>
__global__ void k(float *x, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = a * x[i]; }
void launch(float *x) { k<<<1, 32>>>(x, 2.0f); printf("%p\\n", (void *)x); }
"""
# Some forty kernels of one template. cicc and ptxas take most of the time, as in libraries that
# hold such templates.
HEAVY = """template <int M, int N, typename T>
__global__ void gemm(const T *a, const T *b, T *c, int n) {
  __shared__ T s[M][N];
  T acc[M] = {};
  for (int k = 0; k < n; k += N) {
    for (int i = 0; i < M; i++) s[i][threadIdx.x % N] = a[(i + k) * n + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < M; i++)
#pragma unroll
      for (int j = 0; j < N; j++) acc[i] += s[i][j] * b[(k + j) * n + threadIdx.x];
    __syncthreads();
  }
  for (int i = 0; i < M; i++) c[i * n + threadIdx.x] = acc[i];
}
template <int M, int N> void launch_all(float *f, double *d, int n) {
  gemm<M, N, float><<<1, 128>>>(f, f, f, n);
  gemm<M, N, double><<<1, 128>>>(d, d, d, n);
}
#ifndef __CUDA_ARCH__
int version(void) { return ROUND_ALONE; }
#else
int version(void);
#endif
int both(void) { return ROUND_BOTH; }
void run(float *f, double *d, int n) {
""" + "".join(f"  launch_all<{m}, {n}>(f, d, n);\n"
              for m in (4, 8, 12, 16) for n in (8, 16, 24, 32)) + "}\n"
HEAVY_ONCE = HEAVY.replace("ROUND_ALONE", "1").replace("ROUND_BOTH", "1")
STEPS = ("cicc", "ptxas")
# Headers and an example of NVIDIA's CUTLASS. To install them: pip install --no-deps --target
# build/cutlass nvidia-cutlass==4.2.0.0
CUTLASS = os.path.join("build", "cutlass", "cutlass_library", "source")
ARCH = ["-gencode", "arch=compute_80,code=sm_80"]


def nvcc_here():
    """Returns the path of the program nvcc, even if the nvcc in PATH is a script that starts it."""
    found = shutil.which("nvcc")
    if not found:
        return None
    said = subprocess.run([found, "--dryrun", "-c", "-x", "cu", "/dev/null", "-o", "/dev/null"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    at = re.search(r"^#\$ _HERE_=(.*)$", said, re.M)
    return os.path.join(at.group(1), "nvcc") if at else None


def ran(log):
    """Returns how often each step ran for real, and how often the whole compile did."""
    text = open(log).read() if os.path.exists(log) else ""
    return {name: len(re.findall(rf"info {name}: miss", text)) for name in (*STEPS, "nvcc")}


def add_rows(b):
    def add(name, function):
        def measured():
            nvcc = nvcc_here()
            return function(nvcc) if nvcc else None

        b.row(name)(measured)

    def env_of(store, log):
        return b.reprise_env(store, REPRISE_LOG=log, REPRISE_LOG_LEVEL="info")

    def source(at, name, text):
        path = os.path.join(at, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def hit(nvcc):
        at, store = b.directory("nvcc-hit"), b.directory("nvcc-hit-store")
        peer = b.directory("nvcc-hit-ccache")
        command = ["-c", source(at, "small.cu", SMALL), "-o", os.path.join(at, "small.o")]
        n = b.count(40)
        theirs, ours, plain = rounds([
            Variant("ccache", [b.which("ccache"), nvcc, *command], b.ccache_env(peer), cwd=at),
            Variant("Reprise", [nvcc, *command], b.reprise_env(store), cwd=at),
            Variant("plain", [nvcc, *command], b.plain_env(), cwd=at)], n, warm=4)
        b.expect_hits(store, n)
        to_plain, to_peer = ratios(ours, plain), ratios(ours, theirs)
        return [b.Row("hit, nvcc -c of a small source: Reprise / no cache", "0.01",
                      f"{median(to_plain):.4f}", f"{milliseconds(ours)} / {milliseconds(plain)}",
                      spread(to_plain)),
                b.Row("the same: Reprise / ccache", "1.0", f"{median(to_peer):.2f}",
                      f"{milliseconds(ours)} / {milliseconds(theirs)}", spread(to_peer))]

    def edits(nvcc, what, number_of, bar):
        at, store = b.directory("nvcc-edit"), b.directory("nvcc-edit-store")
        path, log, out = (os.path.join(at, n) for n in ("heavy.cu", "log", "heavy.o"))
        values = {"ROUND_ALONE": 0, "ROUND_BOTH": 0}
        counts = []

        def edit(number):
            values[number_of] = number + 1
            text = HEAVY
            for name, value in values.items():
                text = text.replace(name, str(value))
            source(at, "heavy.cu", text)

        def ours(number):
            edit(number)
            if os.path.exists(log):
                counts.append(ran(log))
                os.unlink(log)

        command = [nvcc, *ARCH, "-c", path, "-o", out]
        n = b.count(10)
        with_us, plain = rounds([Variant("Reprise", command, env_of(store, log), before=ours,
                                         cwd=at), Variant("plain", command, b.plain_env(),
                                                          before=edit, cwd=at)], n, warm=2)
        steps = [sum(c[s] for c in counts[2:]) for s in STEPS]
        r = ratios(with_us, plain)
        return b.Row(f"nvcc -c of 32 templated kernels after an edit of host code {what}: Reprise "
                     f"/ no cache", bar, f"{median(r):.2f}", f"{milliseconds(with_us)} / "
                                                             f"{milliseconds(plain)}; in "
                                                             f"{len(counts) - 2} builds cicc ran "
                                                             f"{steps[0]} times, ptxas {steps[1]}",
                     spread(r))

    def misses(nvcc, name, what, text, number_of_rounds, options=()):
        """A row of misses: every round compiles a text that no store has."""
        at, store = b.directory(name), b.directory(f"{name}-store")
        path = os.path.join(at, "a.cu")

        def edit(number):
            source(at, "a.cu", f"{text}\n__device__ int round_{number};\n")

        command = [nvcc, *options, "-c", path, "-o", os.path.join(at, "a.o")]
        ours, plain = rounds([Variant("Reprise", command, b.reprise_env(store), before=edit,
                                      cwd=at), Variant("plain", command, b.plain_env(), before=edit,
                                                       cwd=at)], number_of_rounds)
        r, wall = ratios(ours, plain, CPU), median(ratios(ours, plain))
        return b.Row(f"miss, nvcc -c of {what}, its steps recorded: Reprise / no cache, CPU",
                     "1.02", f"{median(r):.3f}", f"CPU {milliseconds(ours, CPU)} / "
                                                 f"{milliseconds(plain, CPU)}, wall ratio "
                                                 f"{wall:.3f}", spread(r))

    def miss(nvcc):
        rows = [misses(nvcc, "nvcc-miss", "a small source", SMALL, b.count(160)),
                misses(nvcc, "nvcc-miss-heavy", "32 templated kernels", HEAVY_ONCE, b.count(40),
                       ARCH)]
        tree = os.path.join(b.ROOT, CUTLASS)
        example = os.path.join(tree, "examples", "12_gemm_bias_relu", "gemm_bias_relu.cu")
        if os.path.exists(tree):
            rows.append(misses(nvcc, "nvcc-miss-cutlass", "CUTLASS's 12_gemm_bias_relu",
                               open(example).read(), b.count(16),
                               ["-std=c++17",
                                *(f"-I{tree}/{i}" for i in ("include", "tools/util/include",
                                                            "examples/common")), *ARCH]))
        return rows

    def cutlass(nvcc):
        """A row of a fused GEMM of CUTLASS, whose sources and headers are in each checkout. The
        first checkout is another container's at the same path: only the store is kept. The others
        have other paths of equal length."""
        tree = os.path.join(b.ROOT, CUTLASS)
        if not os.path.exists(tree):
            return None
        at, store = b.directory("nvcc-cutlass"), b.directory("nvcc-cutlass-store")
        took, seen = [], []
        for name in ("one", "one", "two", "six"):
            place = os.path.join(at, name)
            shutil.rmtree(place, ignore_errors=True)
            for part in ("include", "tools/util/include", "examples/common",
                         "examples/12_gemm_bias_relu"):
                shutil.copytree(os.path.join(tree, part), os.path.join(place, part))
            os.mkdir(os.path.join(place, "build"))
            shutil.rmtree(b.RUNTIME, ignore_errors=True)
            time.sleep(0.1)  # makes the sources older than the compile
            log = os.path.join(at, f"log{len(took)}")
            command = [nvcc, "-std=c++17",
                       *(f"-I{place}/{i}" for i in ("include", "tools/util/include",
                                                    "examples/common")), *ARCH, "-c",
                       os.path.join(place, "examples", "12_gemm_bias_relu", "gemm_bias_relu.cu"),
                       "-o", "gemm.o"]
            start = time.perf_counter()
            subprocess.run(command, env={**env_of(store, log), "REPRISE_BASE_DIRS": place},
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           cwd=os.path.join(place, "build"))
            took.append(time.perf_counter() - start)
            seen.append(ran(log))
        if seen[1]["nvcc"]:
            raise SystemExit("bench: nvcc-cutlass: the second checkout by the same path was a miss")
        return [b.Row("nvcc -c of CUTLASS's 12_gemm_bias_relu, a fresh checkout by the same path, "
                      "no node-local state: second / first", "0.15", f"{took[1] / took[0]:.3f}",
                      f"{took[1]:.2f} s / {took[0]:.2f} s"),
                b.Row("the same by other paths of equal length: second / first; third / first",
                      "0.15", f"{took[2] / took[0]:.2f}; {took[3] / took[0]:.3f}",
                      f"{took[2]:.2f} s; "
                      f"{', '.join(f'{s} {seen[2][s]} and {seen[3][s]}' for s in STEPS)} times")]

    def extension(nvcc):
        if not b.PYTHON:
            return None
        at, store = b.directory("nvcc-extension"), b.directory("nvcc-extension-store")
        out, took, log = None, [], None
        script = os.path.join(b.ROOT, "tests", "e2e", "cuda_extension.py")
        env = {"CUDA_HOME": os.path.dirname(os.path.dirname(nvcc)), "TORCH_CUDA_ARCH_LIST": "8.0",
               "CCACHE_DISABLE": "1", "PATH": f"{os.path.dirname(nvcc)}:{os.environ['PATH']}"}
        for _ in range(1 + b.count(16)):
            out, log = os.path.join(at, "build"), os.path.join(at, f"log{len(took)}")
            shutil.rmtree(out, ignore_errors=True)
            os.mkdir(out)
            start = time.perf_counter()
            subprocess.run([b.PYTHON, script, out], env={**env_of(store, log), **env}, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=at)
            took.append(time.perf_counter() - start)
        if ": miss" in open(log).read():
            raise SystemExit("bench: nvcc-extension: a tool ran in the last one")
        r = [t / took[0] for t in took[1:]]
        return b.Row("torch.utils.cpp_extension.load of a .cpp and a .cu, the whole process: empty "
                     "build directory / cold", "0.3", f"{median(r):.2f}",
                     f"{median(took[1:]):.2f} s / {took[0]:.2f} s", spread(r))

    add("nvcc-hit", hit)
    add("nvcc-edit",
        lambda nvcc: [edits(nvcc, "under #ifndef __CUDA_ARCH__", "ROUND_ALONE",
                            "0.4, no cicc, no ptxas"),
                      edits(nvcc, "elsewhere", "ROUND_BOTH", "reported, no ptxas")])
    add("nvcc-miss", miss)
    add("nvcc-cutlass", cutlass)
    add("nvcc-extension", extension)
