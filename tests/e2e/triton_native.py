"""triton_native.py [WORKERS] - Triton's own code compiles its C for the host and loads it, without
a GPU: the functions of the driver, and, up to Triton 3.6, launchers of three signatures. In WORKERS
processes at once, made by fork. Prints, for each process, what the modules offer; and to stderr
"compiled N": how often it started a C compiler.

triton_native.py --libcuda FILE [SUFFIX] - makes a library for the linker that defines the functions
that Triton's C names, as the stubs of the CUDA toolkit do. With SUFFIX it also defines
reprise_SUFFIX."""
import importlib.util
import os
import re
import subprocess
import sys


def libcuda(out, suffix=""):
    nvidia = os.path.join(os.path.dirname(importlib.util.find_spec("triton").origin), "backends",
                          "nvidia")
    names = set()
    for f in "driver.c", "driver.py":
        with open(os.path.join(nvidia, f)) as at:
            names.update(re.findall(r"\bcu[A-Z]\w+", at.read()))
    with open(os.path.join(nvidia, "include", "cuda.h")) as at:
        names.update(new for old, new in re.findall(r"^#define +(cu\w+) +(\w+)$", at.read(), re.M)
                     if old in names)
    text = "".join(f"int {n}(void) {{ return 100; }}\n" for n in
                   sorted(names) + (["reprise_" + suffix] if suffix else []))
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-Wl,-soname,libcuda.so.1", "-o", out, "-x",
                    "c", "-"], input=text.encode(), check=True)


if sys.argv[1:2] == ["--libcuda"]:
    libcuda(*sys.argv[2:])
    sys.exit()

compiled = 0


def count(event, args):
    global compiled
    compiled += event == "subprocess.Popen" and "-shared" in args[1]


sys.addaudithook(count)
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.backends.nvidia import driver  # noqa: E402


@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n), i < n)


def launchers():
    if not hasattr(driver, "make_launcher"):
        return
    for n in "i32", "i64", "fp32":
        types = {"x": "*fp32", "o": "*fp32", "n": n}
        if triton.__version__.startswith("3.2."):
            s = triton.compiler.ASTSource(fn=k, signature=types, constants={"B": 128})
        else:
            s = triton.compiler.ASTSource(fn=k, signature={**types, "B": "constexpr"},
                                          constexprs={(3,): 128})
        c = triton.compile(s, target=GPUTarget("cuda", 90, 32))
        yield n + " " + type(driver.CudaLauncher(s, c.metadata).launch).__name__


def job():
    u = driver.CudaUtils()
    said = [" ".join(n for n in dir(u) if not n.startswith("_")), *launchers(), ""]
    # One write: the processes share the stream.
    os.write(1, "\n".join(said).encode())
    os.write(2, b"compiled %d\n" % compiled)


workers = []
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 0):
    workers.append(os.fork())
    if not workers[-1]:
        job()
        os._exit(0)
if not workers:
    job()
sys.exit(any(os.waitpid(p, 0)[1] for p in workers))
