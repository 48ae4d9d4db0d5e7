#!/bin/bash
# DeepGEMM keeps each kernel in cache/<name>.<hash>, by its JIT library deep_jit.
#
# One would guess: a hash of what `nvcc --version` says, of options, source and headers tells two
# kernels apart, so a kept directory never gives the kernel of another compile.
#
# Seen: nvcc also obeys NVCC_APPEND_FLAGS and NVCC_PREPEND_FLAGS, and the hash leaves them out. So a
# job that asks for fast mathematics gets the kernel without, and one that does not ask gets the
# kernel with, whichever was first. Of headers only those with the library's own prefix count: after
# an edit of CUTLASS's or CUDA's the old kernel stays.
#
# Versions: sgl-deep-gemm 0.2.5 (PyPI; include/deep_jit/runtime/runtime.hpp, utils/parser.hpp), the
# machine's nvcc 13.0. Needs scripts/torch-python.sh, whose headers deep_jit includes; no GPU.
# The script compiles kernels by deep_jit's own code, in one directory and in empty ones. It fails
# if the directory gives two kernels, or if the compiles give one.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
python=$(sh "$top/scripts/torch-python.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
pip install -q --no-deps --target deepgemm sgl-deep-gemm==0.2.5 2>&1 | grep -v WARNING || true
CUDA_HOME=$(nvcc --dryrun -c -x cu /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
export CUDA_HOME
sh "$top/tests/long/deep_jit.sh" deepgemm "$python" "$CUDA_HOME" "$work/host"
mkdir -p include/cute
printf '%s\n' '#include <cute/b.cuh>' \
	'extern "C" __global__ void k(float *x) { *x = sinf(*x) / B; }' >k.cu
kernel() { # DIRECTORY B [VARIABLE]: a digest of the kernel
	echo "#define B $2" >include/cute/b.cuh
	md5sum "$(env DG_JIT_CACHE_DIR="$work/$1" "${@:3}" \
		./host DG "$work" k.cu "$work/include" counted)"/*.cubin | cut -c 1-12
}
for where in kept empty; do
	echo "$where:"
	n=0
	for way in "3.0f" "3.0f NVCC_APPEND_FLAGS=-use_fast_math" "5.0f"; do
		[ $where = kept ] || n=$((n + 1))
		# shellcheck disable=SC2086 # words
		echo "$(kernel $n $way) B=$way"
	done | tee $where
done
count() { cut -c 1-12 "$1" | sort -u | wc -l; }
[ "$(count kept)" = 1 ] || { echo "changed: kernels differ"; exit 1; }
[ "$(count empty)" = 3 ] || { echo "changed: kernels are equal"; exit 1; }
