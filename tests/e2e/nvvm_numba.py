"""A kernel of numba-cuda, compiled to PTX without a GPU: nvvm_numba.py OUT.

numba has a target "cuda" of its own. In site-packages a .pth file puts numba-cuda in its place.
With PYTHONPATH no .pth file is read, so this program imports what it names."""
import sys

import _numba_cuda_redirector
import numba
from numba import cuda


def scale(x, y):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] * y + 1


assert "numba_cuda" in cuda.__file__, cuda.__file__
arguments = (numba.float32[:], numba.float32)
for name, options in ("plain", {}), ("debug", {"debug": True, "opt": False}), ("lineinfo",
                                                                               {"lineinfo": True}):
    ptx, _ = cuda.compile_ptx(scale, arguments, cc=(9, 0), **options)
    with open(sys.argv[1] + "." + name, "w") as out:
        out.write(ptx)
