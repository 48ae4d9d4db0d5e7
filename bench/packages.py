#!/usr/bin/env python3
"""packages.py [--gpu] [PACKAGE...] - a second start in an emptied cache directory with Reprise,
against a start without it in the package's own directory, kept. Pairs take turns. A row of a table
has the median of the ratios, of processor time of all processes of a job and of wall time; the
least seconds of each kind of start (processor, wall), also of one first start each with all
directories empty; and whether all starts printed the same result.

PAIRS=5. PYTHON has torch (TileLang, DeepGEMM, FlashInfer); E2E_TILELANG, E2E_DEEPGEMM and
E2E_FLASHINFER are the directories of these packages, CUDA_HOME has nvcc. KERNELS is a Python with
Warp, Numba and CuTe DSL (scripts/kernels-python.sh); JAX a Python with jax (scripts/jax-python.sh);
REPRISE_TEST_VLLM and REPRISE_TEST_SGLANG are Pythons with vLLM and SGLang, whose own code compiles
and keeps a model without an engine. These need no GPU: DeepGEMM's JIT library compiles its kernels,
and launches none. --gpu: the packages that need one, by the Python that runs this. A
package that is not there is left out."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
KERNELS = os.environ.get("KERNELS", os.path.join(BUILD, "kernels-venv/bin/python"))
TORCH = os.environ.get("PYTHON", os.path.join(BUILD, "venv/bin/python"))
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
DEEP_GEMM_AT = os.environ.get("E2E_DEEPGEMM", os.path.join(BUILD, "kernels-venv/deep_gemm"))
CPU, WALL = 0, 1

TILELANG = """
import tilelang, tilelang.language as T
def scale(n, k):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            for i in T.Parallel(128):
                B[bx * 128 + i] = A[bx * 128 + i] * k
    return main
for k in range(4):
    made = tilelang.compile(scale(1024, k), out_idx=-1, target={"kind": "cuda", "arch": "sm_90a"})
print(len(made.get_kernel_source()))
"""
WARP = """
import warp as wp, numpy as np
wp.init()
@wp.kernel
def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.sin(x[i]) * 2.0 + x[i]
x = wp.array(np.linspace(0, 1, 1000, dtype=np.float32), device="cpu")
y = wp.zeros_like(x)
wp.launch(k, dim=1000, inputs=[x, y], device="cpu")
print(y.numpy().tobytes().hex())
"""
CUTE = """
import os, cutlass, cutlass.cute as cute
os.makedirs(os.environ["CUTE_DSL_CACHE_DIR"], exist_ok=True)
@cute.jit
def f(x: cutlass.Int32):
    cute.printf("%d\\n", x * 3)
f(cutlass.Int32(7))
"""
NUMBA = """
import sys
sys.path.insert(0, sys.argv[1])
import kernels
print(kernels.f(2.0, 1000), kernels.f(2, 1000), kernels.f(1j, 1000))
"""
NUMBA_KERNELS = """
from numba import njit
@njit(cache=True)
def f(x, n):
    s = x * 0
    for i in range(n):
        s += x / (i + 1)
    return s
"""
JAX = """
import jax, jax.numpy as jnp
f = jax.jit(lambda a: jnp.linalg.cholesky(a @ a.T + jnp.eye(64)).sum())
print([float(f(jnp.ones((64, 64 + n)))) for n in range(3)])
"""
DEEP_GEMM = """
import ctypes, hashlib, os, subprocess, sys, torch
library, app = os.path.realpath(os.environ["DEEP_GEMM"]), sys.argv[1]
host = app + "/host.so"
if not os.path.exists(host):
    os.symlink(library + "/deep_gemm/include", app + "/include")
    subprocess.run(["sh", os.environ["DEEP_JIT"], library, sys.executable, os.environ["CUDA_HOME"],
                    host], check=True)
for width in 64, 96, 128, 160:
    source = f"{app}/k{width}.cu"
    if not os.path.exists(source):
        with open(source, "w") as file:
            file.write("#include <deep_gemm/impls/smxx_layout.cuh>\\n"
                       "void *k = (void *)&deep_gemm::transpose_fp32<512, 64, %d, 64>;" % width)
    words = [os.fsencode(word) for word in (host, "DG", library + "/deep_gemm", source,
                                            library + "/deep_gemm/include", "deep_gemm/")]
    ctypes.CDLL(host).main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words))
ctypes.CDLL(None).fflush(None)
# A compile's cubin is never that of another one: a hash of a random directory is in it.
cache = os.environ["DG_JIT_CACHE_DIR"] + "/cache"
for name in sorted(os.listdir(cache)):
    print(name, os.path.getsize(f"{cache}/{name}/kernel.cubin"), end=" ")
print()
"""
FLASHINFER = """
import glob, hashlib, os, re, subprocess, sys
stub = sys.argv[1] + "/stub"
if not os.path.exists(stub):
    os.mkdir(stub)
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o",
                    stub + "/libcuda.so", "-xc", "-"], check=True,
                   input=b"int cuInit(unsigned f) { return 0; }")
os.environ["LIBRARY_PATH"] = stub
from flashinfer.page import gen_page_module
gen_page_module().build(verbose=False)
(made,) = glob.glob(os.environ["FLASHINFER_WORKSPACE_BASE"] + "/.cache/**/page.so", recursive=True)
with open(made, "rb") as file:
    # nvcc's pid is in its objects.
    print(hashlib.sha256(re.sub(b"tmpxft_[0-9a-f]{8}_", b"", file.read())).hexdigest())
"""
VLLM = """
import torch
from vllm.compilation.decorators import support_torch_compile
from vllm.config import (CompilationConfig, CompilationMode, DeviceConfig, VllmConfig,
                         set_current_vllm_config)
from vllm.forward_context import set_forward_context
@support_torch_compile
class Model(torch.nn.Module):
    def __init__(self, *, vllm_config, prefix="", **kwargs):
        super().__init__()
    def forward(self, x: torch.Tensor):
        for n in range(8):
            x = torch.sin(x @ x.T @ x) * (n + 3) + torch.softmax(x, 1)
        return x
config = VllmConfig(device_config=DeviceConfig(device="cpu"),
                    compilation_config=CompilationConfig(backend="inductor"))
# As on a GPU: the mode that a CPU gets keeps a model that vLLM cannot load.
config.compilation_config.mode = CompilationMode.VLLM_COMPILE
config.compilation_config.compile_sizes = []
with set_current_vllm_config(config), set_forward_context({}, config):
    print(Model(vllm_config=config)(torch.linspace(0, 1, 80).reshape(10, 8)).tolist())
"""
SGLANG = """
import os, torch
from sglang.srt.compilation.compiler_interface import InductorAdaptor
adaptor = InductorAdaptor()
place = f"{os.environ['PLACE']}/torch_compile_cache/{adaptor.compute_hash()}/rank_0_0/backbone"
os.makedirs(place, exist_ok=True)
adaptor.initialize_cache(place)
def backend(graph, inputs):
    return adaptor.compile(graph, inputs, {}, None, "k")[0]
def model(x):
    for n in range(8):
        x = torch.sin(x @ x.T @ x) * (n + 3) + torch.softmax(x, 1)
    return x
with torch.no_grad():
    made = torch.compile(model, backend=backend, dynamic=True)(torch.linspace(0, 1, 80).view(10, 8))
print(made.tolist())
"""
CUDA_CORE = """
import os, cupy, numpy
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
from cuda.core.utils import FileStreamProgramCache
device = Device()
device.set_current()
stream = device.create_stream()
x = cupy.linspace(0, 1, 4096, dtype=numpy.float32)
cupy.cuda.Device().synchronize()
options = ProgramOptions(arch="sm_" + device.arch)
with FileStreamProgramCache(path=os.environ["CUDA_CORE_CACHE"]) as cache:
    for n in range(16):
        source = '''extern "C" __global__ void k(float *x, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            for (int j = 0; j < %d; j++) if (i < n) x[i] = __sinf(x[i] * %d.25f) - j;
        }''' % (n + 1, n)
        made = Program(source, "c++", options=options).compile("cubin", cache=cache)
        launch(stream, LaunchConfig(grid=16, block=256), made.get_kernel("k"), x.data.ptr,
               numpy.int32(4096))
stream.sync()
print(x.get().tobytes().hex()[-256:])
"""
NUMBA_CUDA = """
import math, numpy
from numba import cuda
@cuda.jit(cache=True)
def k(x, y, factor):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = math.sin(x[i]) * factor + x[i]
made = ""
for kind in "f4", "f8":
    x = numpy.linspace(0, 1, 4096).astype(kind)
    for factor in 2, 2.5:
        y = numpy.zeros_like(x)
        k[16, 256](x, y, factor)
        made += y.tobytes().hex()[-64:]
print(made)
"""
CUPY = """
import cupy, numpy
RAW = 'extern "C" __global__ void k(float *x, int n) ' \\
      '{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= %d.5f; }'
made = ""
for n in range(16):
    x = cupy.linspace(0, 1, 4096, dtype=numpy.float32)
    cupy.RawKernel(RAW % n, "k")((16,), (256,), (x, 4096))
    y = cupy.ElementwiseKernel("float32 x", "float32 y", f"y = sin(x * {n}.5f) + {n}", f"e{n}")(x)
    made += (x + y).get().tobytes().hex()[-16:]
print(made)
"""
HELION = """
import torch, helion, helion.language as hl
@helion.kernel(static_shapes=True)
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile in hl.tile(x.size()):
        out[tile] = x[tile] * 2 + y[tile]
    return out
x = torch.linspace(0, 1, 1 << 20, device="cuda").view(1024, 1024)
add.bind((x, x)).autotune((x, x), force=False, count=8)
print(add(x, x).cpu().numpy().tobytes().hex()[-256:])
"""
# name: Python, the variable of its directory, the program, more variables
PACKAGES = {
    "tilelang": (TORCH, "TILELANG_CACHE_DIR", TILELANG,
                 {"PYTHONPATH": os.environ.get("E2E_TILELANG",
                                               os.path.join(BUILD, "kernels-venv/tilelang")),
                  "TILELANG_PRINT_ON_COMPILATION": "0"}),
    "warp": (KERNELS, "WARP_CACHE_PATH", WARP, {}),
    "cute_dsl": (KERNELS, "CUTE_DSL_CACHE_DIR", CUTE, {"CUTE_DSL_ARCH": "sm_90a"}),
    "numba": (KERNELS, "NUMBA_CACHE_DIR", NUMBA, {"PYTHONDONTWRITEBYTECODE": "1"}),
    "jax": (os.environ.get("JAX", os.path.join(BUILD, "jax-venv/bin/python")),
            "JAX_COMPILATION_CACHE_DIR", JAX,
            {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PLATFORMS": "cpu",
             "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}),
    "deep_gemm": (TORCH, "DG_JIT_CACHE_DIR", DEEP_GEMM,
                  {"DEEP_GEMM": DEEP_GEMM_AT, "CUDA_HOME": CUDA,
                   "DEEP_JIT": os.path.join(TOP, "tests/long/deep_jit.sh")}),
    "flashinfer": (TORCH, "FLASHINFER_WORKSPACE_BASE", FLASHINFER,
                   {"PYTHONPATH": os.environ.get("E2E_FLASHINFER", ""), "MAX_JOBS": "2",
                    "FLASHINFER_CUDA_ARCH_LIST": "9.0a", "CUDA_HOME": CUDA}),
    "vllm": (os.environ.get("REPRISE_TEST_VLLM", "no vLLM"), "VLLM_CACHE_ROOT", VLLM, {}),
    "sglang": (os.environ.get("REPRISE_TEST_SGLANG", "no SGLang"), "PLACE", SGLANG, {}),
}

GPU_PACKAGES = {
    "cuda_core": (sys.executable, "CUDA_CORE_CACHE", CUDA_CORE, {}),
    "cupy": (sys.executable, "CUPY_CACHE_DIR", CUPY, {}),
    "numba_cuda": (sys.executable, "NUMBA_CACHE_DIR", NUMBA_CUDA, {"PYTHONDONTWRITEBYTECODE": "1"}),
    # Its usual search takes minutes. One of eight configurations takes seconds.
    "helion": (sys.executable, "HELION_CACHE_DIR", HELION,
               {"HELION_AUTOTUNER": "RandomSearch", "HELION_AUTOTUNE_RANDOM_SEED": "1"}),
}


def start(command, env, results):
    """Processor time of the command and of what it waited for, and wall time. The last line that it
    prints is added to results."""
    before = os.times()
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    after = os.times()
    if done.returncode:
        raise OSError(done.stderr.decode(errors="replace").strip().split("\n")[-1])
    results.add(done.stdout.splitlines()[-1])
    return (after.children_user + after.children_system -
            before.children_user - before.children_system, after.elapsed - before.elapsed)


def place(directory, variable):
    """Makes the directory. The variables by which the package and the driver keep files there: with
    a GPU, NVRTC keeps what it compiled in the driver's cache."""
    driver = os.path.join(directory, "driver")
    os.makedirs(driver, exist_ok=True)
    return {variable: os.path.join(directory, "own"), "CUDA_CACHE_PATH": driver}


def ratio(fresh, kept, what):
    ratios = [a[what] / b[what] for a, b in zip(fresh, kept)]
    return "%.3f (%s)" % (statistics.median(ratios), " ".join("%.2f" % r for r in ratios))


def least(figures):
    return "%.2f, %.2f" % tuple(min(f[what] for f in figures) for what in (CPU, WALL))


def measure(name, package, at, pairs):
    """Prints a row."""
    python, variable, text, more = package
    job, app = os.path.join(at, "job.py"), os.path.join(at, "app")
    os.makedirs(app)
    for path, content in ((job, text), (os.path.join(app, "kernels.py"), NUMBA_KERNELS)):
        with open(path, "w") as file:
            file.write(content)
    conf = os.path.join(at, "home/.config/reprise")
    os.makedirs(conf)
    with open(os.path.join(conf, "reprise.conf"), "w") as file:
        # As docs/units.conf.example says.
        file.write("UNIT=numba path=<*_[0-9a-f]{40} complete=close kind=dir "
                   f"scope=cpu,file:{app}/kernels.py\n")
    time.sleep(3)  # A source that is younger than its process does not count.
    kept, fresh = os.path.join(at, "kept"), os.path.join(at, "fresh")
    plain = dict(os.environ, HOME=os.path.join(at, "home"), **more)
    under = dict(plain, LD_PRELOAD=os.path.join(BUILD, "libreprise.so"),
                 REPRISE_CACHE_DIR=os.path.join(at, "store"),
                 REPRISE_RUNTIME_DIR=os.path.join(at, "run"))
    os.makedirs(under["REPRISE_RUNTIME_DIR"])
    command = [python, job, app]
    results, as_kept, as_fresh = set(), [], []
    try:
        # This start reads the libraries from the disk.
        start(command, {**plain, **place(os.path.join(at, "first"), variable)}, results)
        first = ([start(command, {**plain, **place(kept, variable)}, results)],
                 [start(command, {**under, **place(fresh, variable)}, results)])
        subprocess.run([os.path.join(BUILD, "reprise"), "publish"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL,
                       env={k: v for k, v in under.items() if k != "LD_PRELOAD"})
        for _ in range(pairs):
            as_kept.append(start(command, {**plain, **place(kept, variable)}, results))
            shutil.rmtree(fresh)
            as_fresh.append(start(command, {**under, **place(fresh, variable)}, results))
    except OSError as error:
        print(f"{name}: left out: {error}", file=sys.stderr)
        return
    cells = [name, ratio(as_fresh, as_kept, CPU), ratio(as_fresh, as_kept, WALL)]
    cells += [least(figures) for figures in (*first, as_kept, as_fresh)]
    cells.append("equal" if len(results) == 1 else "DIFFER")
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("packages", nargs="*")
    asked = parser.parse_args()
    packages = GPU_PACKAGES if asked.gpu else PACKAGES
    print("| package | fresh / kept, processor time | wall time | first, plain | first, Reprise | "
          "kept | fresh | results |\n|---|---|---|---|---|---|---|---|", flush=True)
    for name in asked.packages or packages:
        with tempfile.TemporaryDirectory() as at:
            measure(name, packages[name], at, int(os.environ.get("PAIRS", "5")))


if __name__ == "__main__":
    main()
