#!/usr/bin/env python3
"""packages.py [PACKAGE...] - a second start in an emptied cache directory with Reprise, against a
start without it in the package's own directory, kept. Processor time of all processes of a job, in
pairs that take turns. No GPU is needed.

PAIRS=5. PYTHON has torch (TileLang); E2E_TILELANG is the directory of TileLang, and KERNELS a
Python with Warp, Numba and CuTe DSL (scripts/kernels-python.sh); JAX a Python with jax
(scripts/jax-python.sh). A package that is not there is left out."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
KERNELS = os.environ.get("KERNELS", os.path.join(BUILD, "kernels-venv/bin/python"))

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
    tilelang.compile(scale(1024, k), out_idx=-1, target={"kind": "cuda", "arch": "sm_90a"})
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
y.numpy()
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
for n in range(3):
    f(jnp.ones((64, 64 + n))).block_until_ready()
"""
# name: Python, the variable of its directory, the program, more variables
PACKAGES = {
    "tilelang": (os.environ.get("PYTHON", os.path.join(BUILD, "venv/bin/python")),
                 "TILELANG_CACHE_DIR", TILELANG,
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
}


def seconds(command, env):
    """Processor time of the command and of what it waited for."""
    before = os.times()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = os.times()
    return (after.children_user + after.children_system -
            before.children_user - before.children_system)


def measure(name, at, pairs):
    python, variable, text, more = PACKAGES[name]
    job, app = os.path.join(at, "job.py"), os.path.join(at, "app")
    os.makedirs(app)
    for path, content in ((job, text), (os.path.join(app, "kernels.py"), NUMBA_KERNELS)):
        with open(path, "w") as file:
            file.write(content)
    conf = os.path.join(at, "home/.config/reprise")
    os.makedirs(conf)
    with open(os.path.join(conf, "reprise.conf"), "w") as file:
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
    try:
        seconds(command, dict(plain, **{variable: kept}))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{name}: left out: {error}")
        return
    seconds(command, dict(under, **{variable: fresh}))
    publish = [os.path.join(BUILD, "reprise"), "publish"]
    no_preload = {k: v for k, v in under.items() if k != "LD_PRELOAD"}
    subprocess.run(publish, env=no_preload, stdout=subprocess.DEVNULL)
    own, ours = [], []
    for _ in range(pairs):
        own.append(seconds(command, dict(plain, **{variable: kept})))
        shutil.rmtree(fresh)
        ours.append(seconds(command, dict(under, **{variable: fresh})))
    middle = sorted(b / a for a, b in zip(own, ours))[pairs // 2]
    print(f"{name}: {middle:.3f} (pairs {' '.join(f'{b / a:.2f}' for a, b in zip(own, ours))}; "
          f"kept {min(own):.2f} s, fresh {min(ours):.2f} s)", flush=True)


def main():
    for name in sys.argv[1:] or PACKAGES:
        with tempfile.TemporaryDirectory() as at:
            measure(name, at, int(os.environ.get("PAIRS", "5")))


if __name__ == "__main__":
    main()
