"""nvrtc_cupy.py OUT COUNT - CuPy's own way to a cubin, without a GPU: raw kernels, kernels with
CuPy's headers, name expressions, an error. OUT gets each. Functions that need a driver are answered
here: the device's architecture, and the load of a module."""
import os
import re
import sys

import cupy.cuda.compiler as compiler
from cupy._core import core
from cupy.cuda import function

out, count = sys.argv[1], int(sys.argv[2])
os.makedirs(out)
made = []


class Module(function.Module):
    def load(self, cubin):
        made.append(cubin)


compiler.function = type("function", (), {"Module": Module})
compiler._get_arch_for_options_for_nvrtc = lambda arch=None: ("-arch=sm_90", "cubin")

RAW = 'extern "C" __global__ void k%d(float *x) { x[0] = __sinf(x[0]) * %d; }'
ELEMENTWISE = """extern "C" __global__ void e%d(const CArray<float, 1, 1, 1> x,
                                 CArray<float, 1, 1, 1> y, CIndexer<1, 1> at) {
    CUPY_FOR(i, at.size()) { at.set(i); y[at.get()] = sin(x[at.get()] * %d.5f); }
}"""
TEMPLATE = "template <typename T> __global__ void t%d(T *x) { x[0] = T(%d); }"
for i in range(count):
    core.compile_with_cache(RAW % (i, i), (), "90", prepend_cupy_headers=False)
    core.compile_with_cache(ELEMENTWISE % (i, i), (), "90")
    module = core.compile_with_cache(TEMPLATE % (i, i), (), "90", prepend_cupy_headers=False,
                                     name_expressions=("t%d<int>" % i, "t%d<double>" % i))
    made.append(repr(sorted(module.mapping.items())).encode())
try:
    core.compile_with_cache('extern "C" __global__ void k(int *x) { *x = nothing; }', (), "90",
                            prepend_cupy_headers=False)
except compiler.CompileException as e:
    # Its directory has another name in each start.
    made.append(re.sub("/tmp[a-z0-9_]{8}/", "/", str(e)).encode())
for i, cubin in enumerate(made):
    with open(os.path.join(out, "%03d" % i), "wb") as f:
        f.write(cubin)
