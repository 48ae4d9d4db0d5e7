#!/usr/bin/env bats
# JIT kernels as serving stacks compile them: nvcc in directories with names of their own.
# parameter E2E_NVCC: installed wheel

setup() {
	load lib
	load names_lib
	load cuda
	case_setup
	need_nvcc
}
teardown() { case_teardown; }

# kernel DIRECTORY: what serving stacks generate.
kernel() {
	put "$1/kernel.cu" '#include <dg/tile.cuh>' \
		'namespace { __device__ int hidden; }' 'static __device__ float part;' \
		'extern "C" __global__ void kern(float *o, const float *a) {' \
		'o[threadIdx.x] = tile<16>(a, threadIdx.x) + hidden + part; }'
	put "$W/inc/dg/tile.cuh" '#pragma once' \
		'template <int N> __device__ float tile(const float *a, int i) { float r = 0;' \
		'for (int k = 0; k < N; k++) r += a[i * N + k] * k; return r; }'
}

# jit EXPECT DIRECTORY NAME FLAGS...: nvcc from the parent of DIRECTORY, plain and under Reprise.
# EXPECT: hits of nvcc itself in the log so far.
jit() {
	local want=$1 d=$2 name=$3
	shift 3
	kernel "$d"
	age
	(cd "${d%/*}" && under nvcc "$d/kernel.cu" "$@" -o "$d/$name" "-I$W/inc" &&
		mv "$d/$name" "$ROOT/got" &&
		nvcc "$d/kernel.cu" "$@" -o "$d/$name" "-I$W/inc") || fail "$*"
	LC_ALL=C sed -E -i "$XFT" "$d/$name" "$ROOT/got"
	cmp "$d/$name" "$ROOT/got" || fail "$d: $*"
	rm -r "$d"
	[ "$(grep -c ' nvcc: hit' "$LOG" || true)" = "$want" ] ||
		fail "$d, $*: not $want hits: $(grep ' nvcc: ' "$LOG")"
}

@test "build_dirs_nvcc: -cubin, -ptx and -fatbin from directories with a UUID or a time" {
	local form before=0 deep=(-std=c++17 --diag-suppress=39,161,174,177,186,940 -O3
		--ptxas-options=--register-usage-level=10 --expt-extended-lambda
		--compiler-options=-fPIC,-O3,-Wno-deprecated-declarations,-Wno-abi)
	for form in "-cubin --gpu-architecture=sm_90a" "-ptx -arch=sm_90" \
		"-fatbin -gencode arch=compute_90,code=sm_90"; do
		jit $before "$HOME/.deep_gemm/tmp/5b9c0ad4-1234-4321-aaaa-0123456789ab" k \
			$form "${deep[@]}"
		jit $((before += 1)) "$HOME/.deep_gemm/tmp/0a9c0ad4-9f34-4321-bbbb-0123456789ab" k \
			$form "${deep[@]}"
		jit $((before += 1)) "$ROOT/other-root/gemm_128_7168_64_1732900000000_4711" k \
			$form "${deep[@]}"
		jit $((before += 1)) "$ROOT/tmp/$$/kernel.$RANDOM" k $form "${deep[@]}"
	done
}

# packed WANT SOURCE DIRECTORY FLAGS...: as FlashInfer compiles, from a directory of its cache.
packed() {
	local want=$1 source=$2 d=$3
	shift 3
	mkdir -p "$d"
	age
	set -- nvcc --generate-dependencies-with-compile -MF "$d/k.cuda.o.d" -isystem "$W/inc" \
		--compiler-options=-fPIC --threads=1 "$@" -c "$source" -o "$d/k.cuda.o"
	(cd "$d" && under "$@" && mv k.cuda.o "$ROOT/got" && mv k.cuda.o.d "$ROOT/got.d" &&
		"$@") || fail "$*"
	LC_ALL=C sed -E -i "$XFT" "$d/k.cuda.o" "$ROOT/got"
	cmp "$d/k.cuda.o" "$ROOT/got" || fail "$*"
	cmp "$d/k.cuda.o.d" "$ROOT/got.d" || fail "$*"
	[ "$(grep -c ' nvcc: hit' "$LOG" || true)" = "$want" ] ||
		fail "$d, $*: not $want hits: $(grep ' nvcc: ' "$LOG")"
}

@test "build_dirs_nvcc: compressed code and PTX from another cache, of a source that stays" {
	local form hits=0 at=(-gencode=arch=compute_90a,code=sm_90a)
	kernel "$W/csrc"
	for form in "${at[*]} -Xfatbin=-compress-all --compress-mode=size" "-arch=sm_90"; do
		packed $hits "$W/csrc/kernel.cu" "$HOME/one/.cache/ops" $form
		packed $((hits += 1)) "$W/csrc/kernel.cu" "$ROOT/rank1/$RANDOM/cache/ops" $form
	done
	# The hash of the source's real path is in the compressed code.
	ln -sfn csrc link
	packed $hits "$W/link/kernel.cu" "$HOME/three" -arch=sm_90
	cp -rp csrc other
	ln -sfn other link
	packed $hits "$W/link/kernel.cu" "$HOME/four" -arch=sm_90
	packed $hits "$W/other/kernel.cu" "$HOME/five" -arch=sm_90
	# Of a relative source it is the working directory's.
	for d in six seven; do
		kernel "$HOME/$d"
		packed $hits kernel.cu "$HOME/$d" -arch=sm_90
	done
}

@test "build_dirs_nvcc: what holds or asks for the directory is bound to it" {
	local form d
	for form in "-cubin -lineinfo" "-ptx -lineinfo" "-cubin -G" "-fatbin"; do
		for d in one second; do jit 0 "$HOME/$d" k -arch=sm_90 $form; done
	done
	for d in one second; do
		put "$HOME/$d/k.cu" 'extern "C" __global__ void k(int *o) { *o = sizeof __FILE__; }'
	done
	age
	for d in one second; do
		under nvcc -cubin -arch=sm_90 "$HOME/$d/k.cu" -o got
		nvcc -cubin -arch=sm_90 "$HOME/$d/k.cu" -o want
		cmp got want
	done
}

@test "build_dirs_nvcc: headers beside, above and in the source's directory" {
	local d i
	put one/x.h '#define X 1'
	put two/x.h '#define X 2'
	put one/u1/y.h '#define Y 1'
	put two/u2/y.h '#define Y 3'
	for d in one/u1 two/u2; do
		put $d/k.cu '#include "../x.h"' '#include "y.h"' '#if __has_include("u1/y.h")' \
			'#define Z 5' '#else' '#define Z 6' '#endif' \
			'extern "C" __global__ void k(int *o) { *o = X * 100 + Y * 10 + Z; }'
	done
	age
	for i in 1 2; do
		for d in one/u1 two/u2; do
			under nvcc -cubin -arch=sm_90 "-I$W/one" "$W/$d/k.cu" -o "$W/$d/got"
			nvcc -cubin -arch=sm_90 "-I$W/one" "$W/$d/k.cu" -o "$W/$d/want"
			cmp $d/got $d/want || fail "$d"
		done
	done
}
