"""A job with four Triton kernels of its own, for bench/gpu_triton.py:
gpu_triton_job.py [--no-device] [WORKERS | --forks].

Each kernel has other types of arguments, so Triton compiles C for each of them (up to 3.6), and
once for its driver. Prints one line of JSON: the seconds until all four have run once, counted from
when CUDA is ready; how often a C compiler was started, and a digest of the results. With WORKERS,
so many processes do this at once; then the seconds are those of the slowest, and the starts are
added up.

--forks: one process imports all, and then makes a start of a fork of itself for each line of its
input, which names Triton's directory for it. So a start takes the time of its kernels alone.

--no-device: the kernels are compiled for sm_90, and Triton's C is compiled and loaded. Nothing is
launched. The digest is then one of the kernels' code."""
import hashlib
import json
import os
import subprocess
import sys
import time

forks = sys.argv[-1] == "--forks"
if forks:
    sys.argv.pop()
no_device = sys.argv[1:2] == ["--no-device"]
if len(sys.argv) > 1 + no_device:
    workers = [subprocess.Popen([sys.executable, __file__, *sys.argv[1:-1]],
                                stdout=subprocess.PIPE) for _ in range(int(sys.argv[-1]))]
    said = [json.loads(w.communicate()[0]) for w in workers]
    print(json.dumps({"seconds": max(s["seconds"] for s in said),
                      "compilers": sum(s["compilers"] for s in said),
                      "digest": ",".join(sorted({s["digest"] for s in said}))}))
    sys.exit(any(w.returncode for w in workers))

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

compilers = 0


def count(event, args):
    global compilers
    compilers += event == "subprocess.Popen" and "-shared" in args[1]


sys.addaudithook(count)


@triton.jit
def scale(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n) * 3, i < n)


@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def axpy(x, y, o, f, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n) * f + tl.load(y + i, i < n), i < n)


@triton.jit
def two(x, o, p, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, i < n)
    tl.store(o + i, v * v, i < n)
    tl.store(p + i, v - 1, i < n)


def tell():
    print(json.dumps({"seconds": time.perf_counter() - begun, "compilers": compilers,
                      "digest": result.hexdigest()[:16]}))
    sys.exit()


def fork_for_each_line():
    """Returns in the forks alone."""
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            os.environ["TRITON_CACHE_DIR"] = line.strip()
            return
        status = os.waitpid(pid, 0)[1]
        if status:
            sys.exit("a fork ended with %d" % status)
    sys.exit()


result = hashlib.sha256()
if not no_device:
    import torch
if forks:
    fork_for_each_line()
if no_device:
    from triton.backends.compiler import GPUTarget
    from triton.backends.nvidia import driver

    begun = time.perf_counter()
    driver.CudaUtils()
    for kernel in scale, add, axpy, two:
        names = kernel.arg_names[:-1]
        types = {n: "fp32" if n == "f" else "i32" if n == "n" else "*fp32" for n in names}
        source = triton.compiler.ASTSource(fn=kernel, signature={**types, "B": "constexpr"},
                                           constexprs={(len(names),): 256})
        compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
        if hasattr(driver, "make_launcher"):
            driver.CudaLauncher(source, compiled.metadata)
        result.update(compiled.asm["cubin"])
    tell()

N = 4096
x = torch.linspace(0, 1, N, device="cuda")
y, o, p = x * 2, torch.empty_like(x), torch.empty_like(x)
torch.cuda.synchronize()
begun = time.perf_counter()
scale[(N // 256,)](x, o, N, B=256)
result.update(o.cpu().numpy().tobytes())
add[(N // 256,)](x, y, o, N, B=256)
result.update(o.cpu().numpy().tobytes())
axpy[(N // 256,)](x, y, o, 1.5, N, B=256)
result.update(o.cpu().numpy().tobytes())
two[(N // 256,)](x, o, p, N, B=256)
result.update(o.cpu().numpy().tobytes() + p.cpu().numpy().tobytes())
torch.cuda.synchronize()
tell()
