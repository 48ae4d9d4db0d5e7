"""A kernel of numba-cuda, compiled to PTX without a GPU: nvvm_numba.py OUT."""
import sys

import numba
from numba import cuda


def scale(x, y):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] * y + 1


arguments = (numba.float32[:], numba.float32)
for name, options in ("plain", {}), ("debug", {"debug": True, "opt": False}), ("lineinfo", {"lineinfo": True}):
    ptx, _ = cuda.compile_ptx(scale, arguments, cc=(9, 0), **options)
    with open(sys.argv[1] + "." + name, "w") as out:
        out.write(ptx)
