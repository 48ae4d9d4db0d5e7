#!/bin/bash
# TileLang compiles each kernel with nvcc to a cubin, from a directory of mkdtemp's.
#
# One would guess: one kernel, one compiler and one set of options give one cubin, so a cache of
# compiles serves the next process, and ranks can compare their kernels.
#
# Seen: the cubin differs in each compile. TileLang passes -lineinfo always ("for better profiling
# and mapping"), and no caller can leave it out. The line table then holds the temporary directory's
# name, and the time at which the source was written. So two processes have different bytes even
# where the directory is the same. Without -lineinfo the cubins are equal.
#
# Versions: tilelang 0.1.15 (PyPI; contrib/nvcc.py), nvcc 13.0. nvcc of the machine; no GPU.
# The script compiles one source twice with TileLang's own options, and fails if the cubins are
# equal, or if they differ without -lineinfo.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip download -q --no-deps --only-binary :all: --python-version 3.11 \
	--platform manylinux_2_27_x86_64 --platform manylinux_2_34_x86_64 -d "$work" \
	tilelang==0.1.15 2>&1 | grep -v WARNING || true
unzip -q -p "$work"/tilelang-*.whl tilelang/contrib/nvcc.py >"$work/nvcc.py"
grep -n -A1 'Always include line info\|^    temp = utils.tempdir' "$work/nvcc.py"
cubin() { # NAME FLAGS...: as compile_cuda() calls nvcc
	local name=$1 dir
	shift
	dir=$(mktemp -d "$work/tmpXXXXXXXX")
	printf '%s\n' 'extern "C" __global__ void k(float *x) { x[threadIdx.x] += 1; }' \
		>"$dir/tvm_kernels.cu"
	nvcc --cubin -O3 "$@" -arch=sm_90a -std=c++17 -o "$dir/tvm_kernels.cubin" \
		"$dir/tvm_kernels.cu"
	mv "$dir/tvm_kernels.cubin" "$work/$name"
	rm -r "$dir"
	sleep 1
}
for n in 1 2; do
	cubin with.$n -lineinfo
	cubin without.$n
done
echo "the directory in the cubins:"
for n in 1 2; do strings -a "$work/with.$n" | grep -o 'tmp[A-Za-z0-9]\{8\}$' | sort -u; done
differ=$(cmp -l "$work/with.1" "$work/with.2" | wc -l) || true
echo "bytes that differ: $differ of $(stat -c %s "$work/with.1")"
cmp "$work/without.1" "$work/without.2" && echo "without -lineinfo: equal"
[ "$differ" -gt 0 ] || { echo "changed: the two cubins are equal"; exit 1; }
