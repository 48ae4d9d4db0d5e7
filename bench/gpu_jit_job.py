"""Jobs that compile inside the process, for bench/gpu_jit.py: gpu_jit_job.py cupy | jiterator |
driver-ptx | driver-cubin.

Each job compiles 50 kernels (jiterator: 25) at their first use. It prints one line of JSON: the
seconds of these first uses, and a digest of the kernels' results. driver-ptx and driver-cubin call
the C interface of NVRTC for PTX or a cubin. They measure cuModuleLoadData, the driver's part,
separately."""
import glob
import hashlib
import json
import os
import sys
import time

KERNELS = 50
result = hashlib.sha256()


def raw(i):
    return '''extern "C" __global__ void k%d(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    #pragma unroll
    for (int k = 0; k < %d; k++) v = v * %d.25f + __sinf(v) - k;
    x[i] = v;
}''' % (i, 4 + i % 7, 1 + i)


def cupy_job():
    import cupy
    import numpy
    v = cupy.asarray(numpy.linspace(0, 1, 4096, dtype=numpy.float32))
    out = cupy.empty_like(v)
    cupy.cuda.Device().synchronize()
    begun = time.perf_counter()
    results = []
    for i in range(KERNELS // 2):
        x = cupy.asarray(numpy.linspace(0, 1, 4096, dtype=numpy.float32))
        cupy.RawKernel(raw(i), "k%d" % i)((16,), (256,), (x, 4096))
        results.append(x)
    for i in range(KERNELS // 2):
        e = cupy.ElementwiseKernel("float32 x", "float32 y", "y = sin(x * %d.5f) + %d" % (i, i),
                                   "e%d" % i)
        results.append(e(v))
    cupy.cuda.Device().synchronize()
    took = time.perf_counter() - begun
    for x in results:
        result.update(x.get().tobytes())
    return {"first_use": took}


def jiterator_job():
    import torch
    x = torch.linspace(0.1, 2, 4096, device="cuda")
    torch.cuda.synchronize()
    results = []
    begun = time.perf_counter()
    for i in range(KERNELS // 2):
        f = torch.cuda.jiterator._create_jit_fn("template <typename T> T f%d(T x, T y) { return x "
                                                "* T(%d) + sin(y) * T(%d); }" % (i, i, i + 1))
        results.append(f(x, x))
    torch.cuda.synchronize()
    took = time.perf_counter() - begun
    begun = time.perf_counter()
    # the kernels that torch itself compiles by jiterator
    for name in ("airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1",
                 "modified_bessel_i0", "modified_bessel_k0", "scaled_modified_bessel_k0",
                 "spherical_bessel_j0", "i0e", "i1", "i1e", "ndtri", "log_ndtr", "erfcx"):
        results.append(getattr(torch.special, name)(x))
    torch.cuda.synchronize()
    own = time.perf_counter() - begun
    for x in results:
        result.update(x.cpu().numpy().tobytes())
    return {"first_use": took, "first_use_of_torch": own}


def driver_job(what):
    import ctypes
    places = [p for s in sys.path
              for p in glob.glob(os.path.join(s, "nvidia", "**", "libnvrtc.so.1[23]"),
                                 recursive=True)]
    rtc, cuda = ctypes.CDLL(places[0] if places else "libnvrtc.so.13"), ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()

    def ok(status):
        assert status == 0, status

    ok(cuda.cuInit(0))
    ok(cuda.cuDeviceGet(ctypes.byref(device), 0))
    ok(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    ok(cuda.cuCtxSetCurrent(context))
    compile_s = load_s = 0
    kind, arch = ((b"PTX", b"--gpu-architecture=compute_90") if what == "ptx"
                  else (b"CUBIN", b"--gpu-architecture=sm_90"))
    for i in range(KERNELS):
        program, size, module = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_void_p()
        t = time.perf_counter()
        ok(rtc.nvrtcCreateProgram(ctypes.byref(program), raw(i).encode(), b"k.cu", 0, None, None))
        ok(rtc.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(arch)))
        ok(getattr(rtc, "nvrtcGet%sSize" % kind.decode())(program, ctypes.byref(size)))
        code = ctypes.create_string_buffer(size.value)
        ok(getattr(rtc, "nvrtcGet%s" % kind.decode())(program, code))
        ok(rtc.nvrtcDestroyProgram(ctypes.byref(program)))
        compile_s += time.perf_counter() - t
        t = time.perf_counter()
        ok(cuda.cuModuleLoadData(ctypes.byref(module), code))
        load_s += time.perf_counter() - t
        result.update(code.raw)
    return {"first_use": compile_s, "load": load_s}


job = sys.argv[1]
v = (cupy_job() if job == "cupy" else jiterator_job() if job == "jiterator"
     else driver_job(job.split("-")[1]))
v["digest"] = result.hexdigest()[:16]
print(json.dumps(v))
