"""Compiles different Triton kernels for sm_90a on a machine without a GPU. Argument: the number of
kernels. Prints a digest of all cubins."""

import hashlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def scaled_sum(x, y, o, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n) * FACTOR + tl.load(y + i, i < n)
    tl.store(o + i, v / tl.sum(v, 0), i < n)


digest = hashlib.sha256()
for number in range(int(sys.argv[1])):
    source = triton.compiler.ASTSource(fn=scaled_sum,
                                       signature={"x": "*fp32", "y": "*fp32", "o": "*fp32",
                                                  "n": "i32", "FACTOR": "constexpr",
                                                  "BLOCK": "constexpr"},
                                       constexprs={(4,): number + 2, (5,): 128 << number % 4},)
    digest.update(triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["cubin"])
print(digest.hexdigest())
