#!/usr/bin/env bats
# JIT kernels as serving stacks compile them: nvcc in directories with names of their own.
# parameter E2E_NVCC: installed wheel

setup() {
	load lib
	load names_table
	load cuda
	case_setup
	need_nvcc
	put inc/dg/tile.cuh '#pragma once' \
		'template <int N> __device__ float tile(const float *a, int i) { float r = 0;' \
		'for (int k = 0; k < N; k++) r += a[i * N + k] * k; return r; }'
	put kernel.cu '#include <dg/tile.cuh>' \
		'namespace { __device__ int hidden; }' 'static __device__ float part;' \
		'extern "C" __global__ void kern(float *o, const float *a) {' \
		'o[threadIdx.x] = tile<16>(a, threadIdx.x) + hidden + part; }'
	# nv FLAG...: nvcc from the parent of the directory. What plain runs differ in is masked.
	put_script "$ROOT/nv" '#!/bin/sh' 'd=$PWD; cd .. &&' \
		'nvcc "$d/kernel.cu" -o "$d/k" "-I$W/inc" "$@" &&' \
		'LC_ALL=C sed -E -i "$XFT" "$d/k"'
	export N="$ROOT/nv" XFT PATH
	export DEEP='-std=c++17 --diag-suppress=39,161,174,177,186,940 -O3 --expt-extended-lambda
		--ptxas-options=--register-usage-level=10
		--compiler-options=-fPIC,-O3,-Wno-deprecated-declarations,-Wno-abi'
}
teardown() { case_teardown; }

@test "build_dirs_nvcc: -cubin, -ptx and -fatbin from directories with a UUID or a time" {
	names_table <<-'END'
	in              | deep_gemm/tmp/5b9c0ad4-1234-4321-aaaa-0123456789ab \
		deep_gemm/tmp/0a9c0ad4-9f34-4321-bbbb-0123456789ab \
		other/gemm_128_7168_64_1732900000000_4711 other/4711/kernel.1234
	any hit hit hit | $N -cubin --gpu-architecture=sm_90a $DEEP
	any hit hit hit | $N -ptx -arch=sm_90 $DEEP
	any hit hit hit | $N -fatbin -gencode arch=compute_90,code=sm_90 $DEEP
	END
}

# Steps may hit, nvcc itself may not.
@test "build_dirs_nvcc: what holds or asks for the directory is bound to it" {
	names_table <<-'END'
	in        | one second
	any part  | $N -cubin -lineinfo -arch=sm_90
	any part  | $N -ptx -lineinfo -arch=sm_90
	any part  | $N -cubin -G -arch=sm_90
	any part  | $N -fatbin -arch=sm_90
	kernel.cu | extern "C" __global__ void k(int *o) { *o = sizeof __FILE__; }
	any part  | $N -cubin -arch=sm_90
	END
}

@test "build_dirs_nvcc: headers beside, above and in the source's directory" {
	names_table <<-'END'
	in   | one/u1 two/u2
	x.h  | #define X 1
	kernel.cu | #include "../x.h"\n#include "y.h"\n#if __has_include("u1/y.h")\n \
		#define Z 5\n#else\n#define Z 6\n#endif\n \
		extern "C" __global__ void k(int *o) { *o = X * 100 + Y * 10 + Z; }
	one/u1/y.h | #define Y 1
	two/u2/y.h | #define Y 3
	any  | echo "#define X ${#PWD}" >../x.h; $N -cubin -arch=sm_90 -I$C/one
	any  | $N -cubin -arch=sm_90 -I$C/one
	END
}
