"""Compiles Triton kernels for an H100 (sm_90a) on a machine without a GPU: Triton's own ptxas runs
for each. Prints one JSON line: seconds, and a digest of all cubins."""

import hashlib
import json
import time

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    col = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, k, BK):
        left = tl.load(a + row[:, None] * k + (at + inner)[None, :], mask=row[:, None] < m,
                       other=0.0)
        right = tl.load(b + (at + inner)[:, None] * n + col[None, :], mask=col[None, :] < n,
                        other=0.0)
        acc = tl.dot(left, right, acc)
    mask = (row[:, None] < m) & (col[None, :] < n)
    tl.store(c + row[:, None] * n + col[None, :], acc, mask=mask)


@triton.jit
def softmax(x, y, width, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * width
    v = tl.load(x + row + at, mask=at < width, other=float("-inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row + at, e / tl.sum(e, 0), mask=at < width)


def jobs():
    pointers = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "m": "i32", "n": "i32", "k": "i32"}
    for sizes in ((64, 64, 32), (128, 64, 32), (128, 128, 32)):
        constants = dict(zip(("BM", "BN", "BK"), sizes))
        yield matmul, pointers, constants
    for block in (1024, 4096):
        yield softmax, {"x": "*fp32", "y": "*fp32", "width": "i32"}, {"BLOCK": block}


digest = hashlib.sha256()
start = time.perf_counter()
for kernel, signature, constants in jobs():
    signature = dict(signature, **{name: "constexpr" for name in constants})
    source = triton.compiler.ASTSource(
        fn=kernel,
        signature=signature,
        constexprs={(kernel.arg_names.index(name),): value for name, value in constants.items()},
    )
    digest.update(triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["cubin"])
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "result": digest.hexdigest()}))
