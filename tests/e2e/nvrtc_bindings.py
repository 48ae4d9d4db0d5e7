"""nvrtc_bindings.py OUT - NVRTC and nvJitLink through cuda.bindings: cubin, PTX, LTO IR, a lowered
name, an error, a link. OUT gets each answer."""
import os
import sys

from cuda.bindings import nvjitlink, nvrtc

out = sys.argv[1]
os.makedirs(out)


def put(name, data):
    with open(os.path.join(out, name), "wb") as f:
        f.write(data)


def call(result, *rest):
    if result[0] != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise RuntimeError(result[0])
    return result[1] if len(result) > 1 else None


def product(program, what):
    data = b" " * call(getattr(nvrtc, "nvrtcGet%sSize" % what)(program))
    call(getattr(nvrtc, "nvrtcGet" + what)(program, data))
    return data


def compiled(name, source, options, products, expression=None):
    program = call(nvrtc.nvrtcCreateProgram(source.encode(), (name + ".cu").encode(), 0, [], []))
    if expression:
        call(nvrtc.nvrtcAddNameExpression(program, expression))
    status, = nvrtc.nvrtcCompileProgram(program, len(options), [o.encode() for o in options])
    put(name + ".status", str(int(status)).encode())
    put(name + ".log", product(program, "ProgramLog"))
    data = b""
    for what in products:
        data = product(program, what)
        put("%s.%s" % (name, what), data)
    if expression:
        put(name + ".lowered", call(nvrtc.nvrtcGetLoweredName(program, expression)))
    call(nvrtc.nvrtcDestroyProgram(program))
    return data


KERNEL = 'extern "C" __global__ void k(int *o) { o[threadIdx.x] = 3 * threadIdx.x; }'
compiled("cubin", KERNEL, ["-arch=sm_90"], ["PTX", "CUBIN"])
compiled("ptx", KERNEL, ["-arch=compute_90"], ["PTX"])
compiled("template", "template <class T> __global__ void t(T *o) { *o = T(1); }", ["-arch=sm_90"],
         ["CUBIN"], b"t<float>")
compiled("error", "extern \"C\" __global__ void k(int *o) { *o = nothing; }", ["-arch=sm_90"], [])
parts = [compiled("part%d" % i, text, ["-arch=sm_90", "-dlto", "-rdc=true"], ["LTOIR"])
         for i, text in enumerate((
    'extern "C" __device__ int g(int n) { return 3 * n; }',
    'extern "C" __device__ int g(int n); extern "C" __global__ void k(int *o) { o[0] = g(o[1]); '
    '}'))]
link = nvjitlink.create(2, ["-arch=sm_90", "-lto"])
for i, part in enumerate(parts):
    nvjitlink.add_data(link, nvjitlink.InputType.LTOIR, part, len(part), "part%d" % i)
nvjitlink.complete(link)
cubin = bytearray(nvjitlink.get_linked_cubin_size(link))
nvjitlink.get_linked_cubin(link, cubin)
put("linked.cubin", bytes(cubin))
nvjitlink.destroy(link)
