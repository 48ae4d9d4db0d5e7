"""tile_kernels.py DIRECTORY ARCHITECTURE: compiles two tile kernels by cuTile into DIRECTORY, as a
job does that has no device. Without an architecture it writes their bytecode."""
import sys

import cuda.tile as ct
from cuda.tile.compilation import (ArrayConstraint, CallingConvention, ConstantConstraint,
                                   KernelSignature, export_kernel)

Number = ct.Constant[int]


@ct.kernel
def vector(a, b, c, n: Number):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (n,)) + ct.load(b, (i,), (n,)))


@ct.kernel
def matrix(a, b, c, m: Number, n: Number, k: Number):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for t in range(ct.num_tiles(a, 1, (m, k))):
        acc = ct.mma(ct.load(a, (i, t), (m, k)), ct.load(b, (t, j), (k, n)), acc)
    ct.store(c, (i, j), acc.astype(ct.float16))


def array(dimensions, kind):
    return ArrayConstraint(kind, dimensions, index_dtype=ct.int32, stride_lower_bound_incl=0,
                           alias_groups=(), may_alias_internally=False,
                           stride_constant=(None,) * (dimensions - 1) + (1,),
                           shape_divisible_by=16, base_addr_divisible_by=16)


def export(kernel, parameters, name):
    signature = KernelSignature(parameters, CallingConvention.cutile_python_v1())
    kind = "cubin" if len(sys.argv) > 2 else "tileir_bytecode"
    export_kernel(kernel, [signature], "%s/%s.%s" % (sys.argv[1], name, kind[-8:]),
                  gpu_code=sys.argv[2] if len(sys.argv) > 2 else "sm_90", output_format=kind)


export(vector, [array(1, ct.float32)] * 3 + [ConstantConstraint(256)], "vector")
export(matrix, [array(2, ct.float16)] * 3 + [ConstantConstraint(64)] * 3, "matrix")
