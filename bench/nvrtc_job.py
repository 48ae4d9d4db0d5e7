#!/usr/bin/env python3
"""nvrtc_job.py KIND LIBRARY LINKER SALT COUNT INCLUDE - one process that compiles by libraries;
prints seconds, one line for each compile.

kernel and include compile COUNT programs with NVRTC to cubin, from Create to Destroy with all calls
in between; include uses cuda_fp16.h and CCCL. link links two LTO inputs (made before the clock
starts) COUNT times. The first compile of a process loads the builtins and is not printed: COUNT + 1
compiles run."""
import ctypes
import sys
import time

kind, library, linker, salt, count, include = sys.argv[1:]
nvrtc = ctypes.CDLL(library)
KERNEL = ('extern "C" __global__ void k%s(float *a, int n) '
          '{ for (int i = 0; i < n; i++) a[threadIdx.x] += a[i] * %d.0f; }\n')
INCLUDE = """#include <cuda_fp16.h>
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void k%s(__half *a) {
  __shared__ typename cub::BlockReduce<float, 128>::TempStorage s;
  float f = cub::BlockReduce<float, 128>(s).Sum(__half2float(a[threadIdx.x])) * %d.0f;
  if (!threadIdx.x) *a = __float2half(f);
}
"""


def check(status):
    if status:
        raise SystemExit("status %d" % status)


def words(options):
    return (ctypes.c_char_p * len(options))(*[o.encode() for o in options])


def compiled(source, options, what):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"bench.cu", 0, None,
                                   None))
    check(nvrtc.nvrtcCompileProgram(program, len(options), words(options)))
    check(getattr(nvrtc, "nvrtcGet%sSize" % what)(program, ctypes.byref(size)))
    out = ctypes.create_string_buffer(size.value)
    check(getattr(nvrtc, "nvrtcGet" + what)(program, out))
    check(nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
    check(nvrtc.nvrtcDestroyProgram(ctypes.byref(program)))
    return out.raw


def linked(link, inputs):
    handle, size = ctypes.c_void_p(), ctypes.c_size_t()
    check(link.nvJitLinkCreate(ctypes.byref(handle), 2, words(["-arch=sm_90", "-lto"])))
    for i in inputs:
        check(link.nvJitLinkAddData(handle, 3, i, len(i), b"input"))
    check(link.nvJitLinkComplete(handle))
    check(link.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)))
    out = ctypes.create_string_buffer(size.value)
    check(link.nvJitLinkGetLinkedCubin(handle, out))
    check(link.nvJitLinkDestroy(ctypes.byref(handle)))


for n in range(int(count) + 1):
    if kind == "link":
        lto = ["-arch=sm_90", "-dlto", "-rdc=true"]
        inputs = [compiled("extern __device__ float f(float);\n" +
                           (KERNEL % (salt, n)).replace("a[i]", "f(a[i])"), lto, "LTOIR"),
                  compiled("__device__ float f(float x) { return x * %d.5f; }" % n, lto, "LTOIR")]
        link = ctypes.CDLL(linker)
        begin = time.perf_counter()
        linked(link, inputs)
    else:
        source = (KERNEL if kind == "kernel" else INCLUDE) % (salt, n)
        options = ["-arch=sm_90"] + (["-std=c++17", "-I" + include,
                                      "-I" + include + "/cccl"] if kind == "include" else [])
        begin = time.perf_counter()
        compiled(source, options, "CUBIN")
    if n:
        print(time.perf_counter() - begin)
