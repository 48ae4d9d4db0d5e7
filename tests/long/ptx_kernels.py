"""Triton kernels of different shapes, as source text with their signatures (see ptx_corpus.py)."""

HEAD = """import os, sys
import triton, triton.language as tl
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sub'))
from {helper} import scale, total

"""

HELPER = """import triton, triton.language as tl

@triton.jit
def scale(x, s):
    return x * s + tl.exp(x)

@triton.jit
def total(x):
    return tl.sum(scale(x, 0.5))
"""

# name: (signature, constants, options, body)
KERNELS = {}

POINTERS = {'fp32': '*fp32', 'fp16': '*fp16', 'bf16': '*bf16', 'i32': '*i32', 'i64': '*i64'}


def kernel(name, arguments, constants, body, **options):
    KERNELS[name] = (arguments, constants, options, body)


def elementwise(name, expression, dtype='fp32', block=1024, **options):
    pointer = POINTERS[dtype]
    kernel(name, {'a': pointer, 'b': pointer, 'c': pointer, 'n': 'i32'}, {'B': block}, f"""
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    x = tl.load(a + i, mask=m)
    y = tl.load(b + i, mask=m)
    tl.store(c + i, {expression}, mask=m)
""", **options)


elementwise('add', 'x + y')
elementwise('add_small', 'x + y', block=128)
elementwise('fused', 'tl.where(x > y, tl.sqrt(tl.abs(x)), tl.log(tl.abs(y) + 1.0)) * tl.sigmoid(x)')
elementwise('half', 'x * y + x', dtype='fp16')
elementwise('bfloat', 'x * y - y', dtype='bf16', num_warps=8)
elementwise('integer', '(x // (y + 1)) ^ (x << 3)', dtype='i32')
elementwise('long', 'x * y + (x >> 2)', dtype='i64')
elementwise('helper', 'scale(x, 2.0) + scale(y, 3.0)')
elementwise('trigonometry', 'tl.sin(x) * tl.cos(y) + tl.exp2(x)')
elementwise('one_warp', 'x - y', block=64, num_warps=1)
elementwise('erf', 'tl.erf(x) + tl.rsqrt(tl.abs(y))')
elementwise('clamp', 'tl.clamp(x, -1.0, 1.0) + tl.floor(y)')
elementwise('inline_asm', "tl.inline_asm_elementwise('add.f32 $0, $1, $2;', '=f,f,f', [x, y], "
            "dtype=tl.float32, is_pure=True, pack=1)")
elementwise('asserted', 'x + y', debug=True)
KERNELS['asserted'] = KERNELS['asserted'][:3] + (KERNELS['asserted'][3].replace(
    '    tl.store', "    tl.device_assert(x > 0, 'positive')\n    tl.store"),)
elementwise('printed', 'x + y')
KERNELS['printed'] = KERNELS['printed'][:3] + (KERNELS['printed'][3].replace(
    '    tl.store', "    tl.device_print('x', x)\n    tl.store"),)


def row(name, statements, **options):
    kernel(name, {'a': '*fp32', 'c': '*fp32', 'n': 'i32', 'stride': 'i32'}, {'B': 1024}, """
    r = tl.program_id(0)
    i = tl.arange(0, B)
    x = tl.load(a + r * stride + i, mask=i < n, other=0.0)
""" + statements, **options)


row('sum_rows', '    tl.store(c + r, tl.sum(x))\n')
row('helper_total', '    tl.store(c + r, total(x))\n')
row('softmax', """    x = x - tl.max(x, 0)
    e = tl.exp(x)
    tl.store(c + r * stride + i, e / tl.sum(e, 0), mask=i < n)
""")
row('layer_norm', """    mean = tl.sum(x, 0) / n
    d = tl.where(i < n, x - mean, 0.0)
    var = tl.sum(d * d, 0) / n
    tl.store(c + r * stride + i, d / tl.sqrt(var + 1e-5), mask=i < n)
""", num_warps=8)
row('scan', '    tl.store(c + r * stride + i, tl.cumsum(x, 0), mask=i < n)\n')
row('product_scan', '    tl.store(c + r * stride + i, tl.cumprod(x, 0), mask=i < n)\n')
row('argmax', '    tl.store(c + r, tl.argmax(x, 0).to(tl.float32))\n')
row('sorted', '    tl.store(c + r * stride + i, tl.sort(x), mask=i < n)\n')
row('atomic_sum', '    tl.atomic_add(c + (i % 16), x, mask=i < n)\n')
row('atomic_max', '    tl.atomic_max(c, tl.max(x, 0))\n')
row('random', '    tl.store(c + r * stride + i, x * tl.rand(7, i), mask=i < n)\n')
row('normal', '    tl.store(c + r * stride + i, x + tl.randn(7, i), mask=i < n)\n')
row('histogram', '    h = tl.histogram(x.to(tl.int32), 64)\n'
    '    tl.store(c + tl.arange(0, 64), h.to(tl.float32))\n')
row('reversed', '    tl.store(c + r * stride + i, tl.flip(x), mask=i < n)\n')
row('loop', """    acc = x
    for k in range(0, n):
        acc = scale(acc, 0.1) + tl.load(a + k)
    tl.store(c + r * stride + i, acc, mask=i < n)
""")
row('loop_static', """    for k in tl.static_range(5):
        x = x * (k + 1) + r
    tl.store(c + r * stride + i, x, mask=i < n)
""")
row('while_loop', """    k = 0
    while k * k < n:
        x += tl.load(a + k)
        k += 1
    tl.store(c + r * stride + i, x, mask=i < n)
""")
row('branch', """    if r % 2 == 0:
        x = tl.exp(x)
    else:
        x = tl.log(x + 2.0)
    tl.store(c + r * stride + i, x, mask=i < n)
""")


def dot(name, dtype, m, n, k, **options):
    pointers = {'a': POINTERS[dtype], 'b': POINTERS[dtype], 'c': '*fp32', 'K': 'i32'}
    kernel(name, pointers, {'M': m, 'N': n, 'KB': k}, """
    rm = tl.program_id(0) * M + tl.arange(0, M)
    rn = tl.program_id(1) * N + tl.arange(0, N)
    rk = tl.arange(0, KB)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, K, KB):
        x = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        y = tl.load(b + (k + rk)[:, None] * 512 + rn[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * 512 + rn[None, :], scale(acc, 0.5))
""", **options)


dot('dot_half', 'fp16', 64, 64, 32, num_warps=4)
dot('dot_bfloat', 'bf16', 128, 64, 32, num_warps=8, num_stages=3)
dot('dot_float', 'fp32', 32, 32, 32, num_warps=4, num_stages=2)
kernel('attention', {'q': '*fp16', 'k': '*fp16', 'v': '*fp16', 'o': '*fp16', 'n': 'i32'},
       {'M': 64, 'D': 64}, """
    rm = tl.program_id(0) * M + tl.arange(0, M)
    rd = tl.arange(0, D)
    x = tl.load(q + rm[:, None] * D + rd[None, :])
    acc = tl.zeros((M, D), dtype=tl.float32)
    top = tl.full((M,), float('-inf'), dtype=tl.float32)
    norm = tl.zeros((M,), dtype=tl.float32)
    for at in range(0, n, M):
        rn = at + tl.arange(0, M)
        s = tl.dot(x, tl.trans(tl.load(k + rn[:, None] * D + rd[None, :])))
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        fix = tl.exp(top - new)
        norm = norm * fix + tl.sum(p, 1)
        rows = tl.load(v + rn[:, None] * D + rd[None, :])
        acc = acc * fix[:, None] + tl.dot(p.to(tl.float16), rows)
        top = new
    tl.store(o + rm[:, None] * D + rd[None, :], (acc / norm[:, None]).to(tl.float16))
""")
kernel('transpose', {'a': '*fp32', 'c': '*fp32'}, {'M': 32, 'N': 64}, """
    rm = tl.arange(0, M)
    rn = tl.arange(0, N)
    x = tl.load(a + rm[:, None] * N + rn[None, :])
    tl.store(c + rn[:, None] * M + rm[None, :], tl.trans(x))
""")
kernel('gather', {'a': '*fp32', 'b': '*i32', 'c': '*fp32', 'n': 'i32'}, {'B': 256}, """
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.load(b + i, mask=i < n, other=0)
    tl.store(c + i, tl.load(a + j, mask=i < n), mask=i < n)
""")
