#!/bin/bash
# DeepGEMM compiles its kernels at run time, from headers that it brings.
#
# One would guess: `pip install deep_gemm` gives a package that can compile a kernel.
#
# Seen: the archive on PyPI holds no header, neither DeepGEMM's nor CUTLASS's. The first kernel ends
# with "Cannot find GEMM include directory". The releases after it are on GitHub alone.
#
# Versions: deep_gemm 1.0.0 (PyPI; jit/compiler.py).
# The script fails if the archive holds a header, or does not look for one.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip download -q --no-deps -d "$work" deep_gemm==1.0.0
tar -xzf "$work"/deep_gemm-1.0.0.tar.gz -C "$work"
headers=$(find "$work/deep_gemm-1.0.0" -name '*.cuh' -o -name '*.hpp' -o -name '*.h' | wc -l)
echo "headers in the archive: $headers"
grep -n 'get_jit_include_dir()}/deep_gemm\|Cannot find GEMM' \
	"$work/deep_gemm-1.0.0/deep_gemm/jit/compiler.py"
[ "$headers" = 0 ] || { echo "changed: the archive holds headers"; exit 1; }
