#!/bin/bash
# TileLang keeps each compiled kernel below a digest of the kernel, its options and its target.
#
# One would guess: the digest holds the compiler as well, so after an update of CUDA, or with other
# NVCC_APPEND_FLAGS, the kept directory gives a kernel of the new compiler.
#
# Seen: it holds TileLang's own version, and nothing of nvcc: not its release, not its path, not
# NVCC_APPEND_FLAGS or NVCC_PREPEND_FLAGS, which nvcc obeys. A job with CUDA 13.5 gets the kernel of
# 13.0, and one that asks for fast mathematics gets the kernel without. Nothing is said.
#
# Versions: tilelang 0.1.15 (PyPI; cache/kernel_cache.py), nvcc 13.5.37 (PyPI), the machine's 13.0.
# Needs scripts/torch-python.sh and scripts/cuda-wheel.sh (--make); no GPU.
# The script compiles one kernel with three compilers in one directory, and in empty ones. It fails
# if the directory gives two kernels, or if the compilers give one.
set -eu
cd "$(dirname "$0")/.."
python=$(sh scripts/torch-python.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m pip install -q --no-deps --target "$work/tilelang" tilelang==0.1.15 \
	'apache-tvm-ffi<0.1.13' 'z3-solver<4.15.5' ml-dtypes cloudpickle psutil tqdm 2>&1 |
	grep -v WARNING || true
new=$(sh scripts/cuda-wheel.sh)
new=${new%/bin}
old=$(nvcc -v -E -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
cat >"$work/kernel.py" <<'END'
import tilelang, tilelang.language as T
@T.prim_func
def main(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
    with T.Kernel(8, threads=128) as bx:
        for i in T.Parallel(128):
            B[bx * 128 + i] = T.sin(A[bx * 128 + i]) / A[bx * 128 + i]
tilelang.compile(main, out_idx=-1, target={"kind": "cuda", "arch": "sm_90a"})
END
# kernel DIRECTORY CUDA [VARIABLE]: the release of CUDA in it, and a digest of the machine code
kernel() {
	env PYTHONPATH="$work/tilelang" TILELANG_CACHE_DIR="$work/$1" CUDA_HOME="$2" \
		PATH="$2/bin:$PATH" "${3:-A=1}" "$python" "$work/kernel.py" >"$work/said" 2>&1 ||
		{ cat "$work/said" >&2; exit 1; }
	for object in "$work/$1"/*/*/kernels/*/executable.so; do
		at=$(LC_ALL=C grep -aboP '\x7fELF' "$object" | tail -n 1 | cut -d : -f 1)
		tail -c +$((at + 1)) "$object" >"$work/cubin"
		"$new/bin/cuobjdump" -sass "$work/cubin" | grep /[*]0 | sha256sum | cut -c 1-12
		strings -a "$object" | grep -o 'cuda_[0-9.]*\.r' | sort -u
	done | xargs
}
for where in kept "empty, each"; do
	echo "$where:"
	n=0
	for way in "$old" "$new" "$old NVCC_APPEND_FLAGS=-use_fast_math"; do
		[ "$where" = kept ] || n=$((n + 1))
		# shellcheck disable=SC2086 # words
		kernel $n $way
	done | tee "$work/${where%%,*}.kernels"
done
[ "$(sort -u "$work/kept.kernels" | wc -l)" = 1 ] || { echo "changed: kernels differ"; exit 1; }
[ "$(sort -u "$work/empty.kernels" | wc -l)" = 3 ] || { echo "changed: kernels are equal"; exit 1; }
