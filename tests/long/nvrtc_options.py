#!/usr/bin/env python3
"""The claim of jit/library/option_state.c: options of
one compile that affect later ones of the process.

    nvrtc_options.py NVRTC [NVJITLINK]

Each option goes to a compile of six programs, in a process of its own. The process then compiles
the six without it; the same with nvJitLink's options and a link. Differences to a process that
never gave the option are printed. Status 1 if jit/library/option_state.c does not know the
option. No GPU is needed."""
import ctypes
import hashlib
import os
import re
import subprocess
import sys

KNOWN = re.compile("restrict|opt-info|optimization-info")
KNOWN_LINK = re.compile("kernels-used|variables-used")
ARCH = "-arch=sm_90"
PROGRAMS = [
    "namespace { __device__ int v = 6; } extern \"C\" __global__ void k(int *o, const int *q, int "
    "n) {"
    " int i = threadIdx.x; o[i] = v + q[i]; o[i + 1] = q[i] * n; }",
    "extern \"C\" __global__ void k(float *o, const float *q, int n) { float v = 0;"
    " for (int i = 0; i < n; i++) v += sqrtf(q[i]) / o[i] * q[i + 1] + sinf(v); o[threadIdx.x] = "
    "v; }",
    "__device__ __noinline__ double f(double x, double *y) { y[0] = x * x + y[1]; return y[2] / x; "
    "} extern \"C\" __global__ void k("
    "double *o, int n) { __shared__ double s[128]; s[threadIdx.x] = o[n]; __syncthreads(); "
    "o[threadIdx.x] = f(s[n], o); }",
    "struct S { float a[40]; }; extern \"C\" __global__ void k(S *o, int n) { S s = o[n];"
    " for (int i = 0; i < 40; i++) s.a[i] = s.a[(i * n) % 40] * 2.f + 1.f; o[threadIdx.x] = s; }",
    "extern \"C\" __global__ void k(int *o) { int unused; char c = 200; o[0] = c; if (o[1] == -1u) "
    "o[2] = 1; }",
    "extern \"C\" __global__ void k(int *o) { printf(\"%d\", o[0]); }",
]
PARTS = [
    "namespace { __device__ int v = 6; } extern \"C\" __device__ int g(int *o, const int *q, int "
    "n) { o[0] = v + q[n]; return q[n]; }",
    "extern \"C\" __device__ int g(int *o, const int *q, int n); extern \"C\" __global__ void "
    "k(int *o, const int *q, float *f, int n)"
    " { int i = threadIdx.x; o[i] = g(o, q, i); float v = 0; for (int j = 0; j < n; j++) v += "
    "sqrtf(f[j]) / f[j + 1]; f[i] = v; }",
]
OPTIONS = """--restrict -use_fast_math --fmad=false -ftz=true --prec-div=false --prec-sqrt=false
--maxrregcount=32 -rdc=true -dc -dlto -default-device -w -ewp --extra-device-vectorization
-modify-stack-limit=false --device-int128 --device-float128 --disable-warnings -opt-info=inline
--optimization-info=inline --diag-suppress=177 --diag-error=177 --diag-warn=177
--display-error-number --no-display-error-number --builtin-move-forward=false
--builtin-initializer-list=false -Xptxas=-O1 --ptxas-options=-v --dopt=on -lineinfo -G
--device-debug --generate-line-info -std=c++11 -std=c++14 --std=c++17 -std=c++20 --minimal
--no-cache -frandom-seed=7 --random-seed=3 --optix-ir -fno-signed-zeros --Ofast-compile=max
--Ofast-compile=min --fmax-errors=1 -jtd=50 --device-stack-protector=true --no-source-include
--unicode -DA=1 -Werror=all-warnings --brief-diagnostics=true --version-ident=true --warn-reorder
--gen-opt-lto --split-compile=2 --relocatable-device-code=false -arch=sm_80 -arch=sm_90a
-arch=compute_80 -arch=compute_100 -arch=sm_75""".split()
LINK_OPTIONS = """-ftz=1 -prec-div=0 -prec-sqrt=0 -fma=0 -maxrregcount=32 -g -lineinfo -verbose -O0
-O1 -kernels-used=k -variables-used=x -optimize-unused-variables -Xptxas=-O1 -Xnvvm=-opt=0
-split-compile=2 -no-cache -ptx -arch=sm_80""".split()


def texts(words):
    return (ctypes.c_char_p * len(words))(*[w.encode() for w in words])


def bytes_of(size, get, handle):
    n = ctypes.c_size_t()
    if size(handle, ctypes.byref(n)):
        return None
    data = ctypes.create_string_buffer(n.value + 1)
    get(handle, data)
    return data.raw[:n.value]


def compiled(lib, source, options):
    p = ctypes.c_void_p()
    if lib.nvrtcCreateProgram(ctypes.byref(p), source.encode(), b"p.cu", 0, None, None):
        sys.exit("nvrtcCreateProgram failed")
    lib.nvrtcCompileProgram(p, len(options), texts(options))
    out = [bytes_of(getattr(lib, "nvrtcGet%sSize" % what), getattr(lib, "nvrtcGet" + what), p)
           for what in ("PTX", "CUBIN", "LTOIR", "ProgramLog")]
    lib.nvrtcDestroyProgram(ctypes.byref(p))
    return out


def linked(lib, parts, options):
    version = next(v for v in ("_%d_%d" % (m, n) for m in (13, 12) for n in range(9, -1, -1))
                   if hasattr(lib, "__nvJitLinkCreate" + v))

    def call(name):
        return getattr(lib, "__nvJitLink" + name + version)

    h = ctypes.c_void_p()
    if call("Create")(ctypes.byref(h), len(options), texts(options)):
        return None
    for part in parts:
        call("AddData")(h, ctypes.c_int(3), part, ctypes.c_size_t(len(part)), b"part")
    status = call("Complete")(h)
    return [status, bytes_of(call("GetLinkedCubinSize"), call("GetLinkedCubin"), h)]


def inside(given):
    """Runs in its own process: compiles with the option, if one is given, and then without."""
    lib = ctypes.CDLL(sys.argv[1])
    if len(sys.argv) > 2:
        parts = [compiled(lib, source, [ARCH, "-dlto", "-rdc=true"])[2] for source in PARTS]
        link = ctypes.CDLL(sys.argv[2])
        if given:
            linked(link, parts, given)
        out = linked(link, parts, [ARCH, "-lto"])
        assert out and out[0] == 0, out
    else:
        for source in PROGRAMS if given else ():
            compiled(lib, source, given)
        out = [compiled(lib, source, [ARCH]) for source in PROGRAMS]
        assert all(one[1] for one in out)
    # CUDA 12.1 numbers calls on from one program to the next, in comments of the PTX.
    print(hashlib.sha256(re.sub(rb"callseq \d+", b"callseq", repr(out).encode())).hexdigest())


def after(given, libraries):
    env = dict(os.environ, STAYS_GIVEN="\n".join(given))
    r = subprocess.run([sys.executable, __file__] + libraries, env=env, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True)
    # nvJitLink 12.1 may crash in the second link, or refuse it.
    if r.returncode and not given:
        sys.exit(r.stderr[-500:])
    return r.stdout


if "STAYS_GIVEN" in os.environ:
    inside([o for o in os.environ["STAYS_GIVEN"].split("\n") if o])
    sys.exit()
libraries = sys.argv[1:]
options, known, own = ((LINK_OPTIONS, KNOWN_LINK, ["-lto"]) if len(libraries) > 1
                       else (OPTIONS, KNOWN, []))
fresh, failed = after([], libraries), 0
if after([ARCH] + own, libraries) != fresh:
    sys.exit("two equal compiles differ: nothing can be said")
for option in options:
    given = own + ([option] if "arch" in option else [ARCH, option])
    if after(given, libraries) != fresh:
        failed |= not known.search(option)
        print("stays: %s%s" % (option, "" if known.search(option)
                               else ", which jit/library/option_state.c does not know"))
print("%d options" % len(options))
sys.exit(failed)
