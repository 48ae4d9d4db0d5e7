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

# bats test_tags=check
@test "build_dirs_nvcc: -cubin, -ptx and -fatbin from directories with a UUID or a time" {
	names_table <<-'END'
	in          | deep_gemm/tmp/5b9c0ad4-1234-4321-aaaa-0123456789ab \
		other/gemm_128_7168_64_1732900000000_4711 other/4711/kernel.1234
	any hit hit | $N -cubin --gpu-architecture=sm_90a $DEEP
	in          | deep_gemm/tmp/5b9c0ad4-1234-4321-aaaa-0123456789ab \
		deep_gemm/tmp/0a9c0ad4-9f34-4321-bbbb-0123456789ab
	any hit     | $N -ptx -arch=sm_90 $DEEP
	any hit     | $N -fatbin -gencode arch=compute_90,code=sm_90 $DEEP
	END
}

# The JIT library of DeepGEMM (sgl-deep-gemm 0.2.5, deep_jit): a shell goes to
# <root>/tmp/<pid>-<3 x 8 hex> and starts nvcc with all messages in a pipe.
# bats test_tags=check
@test "build_dirs_nvcc: -cubin as deep_jit starts it, from its directories" {
	put_script "$ROOT/jit" '#!/bin/sh' 'd=$PWD' \
		'o="--cubin --output-file $d/kernel.cubin $*"' \
		'sh -c "cd $d && nvcc $d/kernel.cu $o 2>&1" | cat' \
		'LC_ALL=C sed -E -i "$XFT" "$d/kernel.cubin"'
	export J="$ROOT/jit" JIT="--gpu-architecture=sm_90a -O3 --compiler-options=-O3
		--ptxas-options=--register-usage-level=10 -std=c++20
		--compiler-options=-fPIC --diag-suppress=39,161,174,177,186,940
		--include-path $W/inc"
	names_table <<-'END'
	in      | dj/tmp/4711-0a1b2c3d-11223344-deadbeef \
		other/tmp/314159-00000000-aabbccdd-01234567
	any hit | $J $JIT
	in      | dj/tmp/4711-0a1b2c3d-11223344-deadbeef dj/tmp/9999-ffffffff-11223344-deadbeef
	any hit | $J $JIT --generate-line-info
	END
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

# bats test_tags=check
@test "build_dirs_nvcc: compressed code and PTX from another cache, of a source that stays" {
	local form hits=0 at=(-gencode=arch=compute_90a,code=sm_90a)
	mkdir -p "$W/csrc"
	cp "$W/kernel.cu" "$W/csrc"
	for form in "${at[*]} -Xfatbin=-compress-all --compress-mode=size" "-arch=sm_90"; do
		packed $hits "$W/csrc/kernel.cu" "$HOME/one/.cache/ops" $form
		packed $((hits += 1)) "$W/csrc/kernel.cu" "$ROOT/rank1/$RANDOM/cache/ops" $form
	done
}

# bats test_tags=long
@test "build_dirs_nvcc: compressed code of a copied source, and of a relative one" {
	local d
	mkdir -p "$W/csrc"
	cp "$W/kernel.cu" "$W/csrc"
	cp -rp csrc other
	for d in csrc other; do packed 0 "$W/$d/kernel.cu" "$HOME/of-$d" -arch=sm_90; done
	# The hash of the source's real path is in the compressed code.
	for d in csrc other; do
		ln -sfn $d link
		packed 0 "$W/link/kernel.cu" "$HOME/link-to-$d" -arch=sm_90
	done
	# The hash is that of the working directory.
	for d in six seven; do
		mkdir -p "$HOME/$d"
		cp "$W/kernel.cu" "$HOME/$d"
		packed 0 kernel.cu "$HOME/$d" -arch=sm_90
	done
}

# linked WANT DIRECTORY: as FlashInfer's ninja does, with absolute names, in its workspace.
linked() {
	local d=$2/.cache/flashinfer/cached_ops/page f
	mkdir -p "$d"
	age
	cd "$d" || return
	for f in kernel second; do
		under env FLASHINFER_WORKSPACE_BASE="$2" nvcc --generate-dependencies-with-compile \
			-MF "$d/$f.o.d" -isystem "$W/inc" --compiler-options=-fPIC --threads=1 \
			-arch=sm_90 -c "$W/$f.cu" -o "$d/$f.o"
	done
	set -- "$1" c++ "$d/kernel.o" "$d/second.o" -shared -o "$d/page.so"
	under env FLASHINFER_WORKSPACE_BASE="${d%/.cache*}" "${@:2}" || fail "$*"
	mv "$d/page.so" "$ROOT/got"
	"${@:2}"
	cmp page.so "$ROOT/got" || fail "$*"
	[ "$(grep -cE ' (nvcc|[^ ]*g[+][+][^ ]*): hit' "$LOG" || true)" = "$1" ] ||
		fail "$d: $(grep -E 'hit|miss' "$LOG")"
}

# bats test_tags=check
@test "build_dirs_nvcc: FlashInfer's objects and link in another workspace" {
	sed 's/kern/other/' kernel.cu >second.cu
	: >"$LOG"
	linked 0 "$HOME/one"
	: >"$LOG"
	linked 3 "$HOME/rank1/elsewhere"
}

# Device debug information, in compressed code, has the working directory.
# bats test_tags=long
@test "build_dirs_nvcc: compressed code and PTX with options from a variable" {
	local d v
	mkdir -p "$W/csrc" one second
	cp "$W/kernel.cu" "$W/csrc"
	age
	for v in NVCC_PREPEND_FLAGS=-G NVCC_APPEND_FLAGS=--device-debug PTXAS_FLAGS=-g; do
		for d in one second; do
			(cd $d && under env $v nvcc -arch=sm_90 -I"$W/inc" \
				-c "$W/csrc/kernel.cu" -o k.o)
		done
	done
	[ "$(grep -c ' nvcc: hit' "$LOG")" = 0 ] || fail "$(grep ' nvcc: ' "$LOG")"
}

# library WANT OUTPUT: as DeepGEMM 1.0 compiles, which renames its output to kernel.so.
library() {
	put launch.cu '#include "kernel.cu"' \
		'int launch(float *o) { kern<<<1, 32>>>(o, o); return 0; }'
	set -- "$1" "$2" nvcc "$W/launch.cu" -o "$2" $DEEP -shared "-I$W/inc" \
		-gencode=arch=compute_90a,code=sm_90a
	mkdir -p "${2%/*}"
	age
	under "${@:3}" || fail "$*"
	mv "$2" "$ROOT/got"
	"${@:3}" || fail "$*"
	LC_ALL=C sed -E -i "$XFT" "$2" "$ROOT/got"
	cmp "$2" "$ROOT/got" || fail "$*"
	[ "$(grep -c ' nvcc: hit' "$LOG" || true)" = "$1" ] || fail "$(grep ' nvcc: ' "$LOG")"
}

# bats test_tags=check
@test "build_dirs_nvcc: a shared library whose name holds a UUID" {
	library 0 "$W/tmp/nvcc.tmp.5b9c0ad4-1234-4321-aaaa-0123456789ab.0123456789ab.so"
	library 1 "$HOME/elsewhere/x.so"
}

# bats test_tags=check
@test "build_dirs_nvcc: an output that nvcc's shell finds elsewhere" {
	local long
	long=$(printf '%0215d' 0)
	age
	under nvcc -cubin -arch=sm_90 kernel.cu -Iinc -o k.cubin
	plain=a differential --cold any --warm none -- \
		nvcc -cubin -arch=sm_90 kernel.cu -Iinc -o 'k${plain}.cubin'
	rm -f k.cubin k.so
	under nvcc -shared -arch=sm_90 "$W/kernel.cu" -Iinc -o k.so
	# Names of nvcc's own files become too long.
	differential --status any --cold any --warm none --filter "$XFT" -- \
		nvcc -shared -arch=sm_90 "$W/kernel.cu" -Iinc -o "$long.so"
}

# lines WANT DATE FLAGS...: as TileLang compiles, which makes a directory for each kernel. The
# cubin's table of lines holds the directory, and up to 13.0 the source's time. files DIR writes.
lines() {
	local want=$1 date=$2 d
	shift 2
	d=$(temp_name)
	mkdir "$d"
	files "$d"
	touch -d "$date" "$d"/*.cu
	age
	set -- nvcc "$@" --cubin -lineinfo -arch=sm_90a -std=c++17 -o "$d/k.cubin" "$d/kernels.cu"
	under "$@" || fail "$*"
	mv "$d/k.cubin" "$ROOT/got"
	"$@" || fail "$*"
	cmp "$d/k.cubin" "$ROOT/got" || fail "$*"
	rm -r "$d"
	[ "$(grep -c ' nvcc: hit' "$LOG" || true)" = "$want" ] || fail "$(grep ' nvcc: ' "$LOG")"
}

# bats test_tags=check
@test "build_dirs_nvcc: -lineinfo from generated directories, at other times" {
	files() { cp "$W/kernel.cu" "$1/kernels.cu"; }
	lines 0 2026-05-06 "-I$W/inc"
	lines 1 2026-05-06T07:08:09 "-I$W/inc"
	lines 2 2027-01-01 "-I$W/inc"
	# ptxas takes 32 bits of the time.
	lines 2 2200-01-01 "-I$W/inc"
	# Headers count with their times.
	touch -d 2025-01-01 "$W/inc/dg/tile.cuh"
	lines 2 2026-05-06 "-I$W/inc"
	lines 3 2026-05-07 "-I$W/inc"
}

# bats test_tags=check
@test "build_dirs_nvcc: -lineinfo, and a header that is called as the source" {
	local kernel='extern "C" __global__ void k(float *x) { *x = 1; }' date hits=0
	files() {
		put "$1/sub/kernels.cu" "$kernel"
		put "$1/kernels.cu" '#include "sub/kernels.cu"' "${kernel/k(/other(}"
		touch -d 2026-05-06 "$1/sub/kernels.cu"
	}
	for date in 2026-05-06 2026-05-06; do lines 0 "$date"; done
	# The header's name ends as the source's, and its size and time are the same.
	files() {
		put "$1/sub/my_kernels.cu" "$kernel"
		put "$1/kernels.cu" '#include "sub/my_kernels.cu"' "${kernel/k(/o(}"
		truncate -s 200 "$1"/kernels.cu "$1/sub/my_kernels.cu"
		sed -i 's/\x00/ /g' "$1"/kernels.cu "$1/sub/my_kernels.cu"
		touch -d 2026-05-06 "$1/sub/my_kernels.cu"
	}
	for date in 2026-05-06 2026-05-06; do lines 0 "$date"; done
	# Neither the source nor its directory is the first one of the table.
	files() {
		put "$1/sub/head.cuh" "$kernel"
		put "$1/kernels.cu" '#include "sub/head.cuh"' "${kernel/k(/other(}"
		touch -d 2026-05-06 "$1/sub/head.cuh"
	}
	for date in 2026-05-06 2026-05-07; do lines $((hits++)) "$date"; done
}

# bats test_tags=long
@test "build_dirs_nvcc: -lineinfo from directories with a UUID, or a time and a number" {
	names_table <<-'END'
	in      | tmp/5b9c0ad4-1234-4321-aaaa-0123456789ab tmp/0a9c0ad4-9f34-4321-bbbb-0123456789ab
	any hit | $N -cubin -lineinfo -arch=sm_90a $DEEP
	in      | tmp/gemm_128_7168_64_1732900000000_4711 tmp/gemm_128_7168_64_1733911111111_1234
	any hit | $N -cubin -lineinfo -arch=sm_90a $DEEP
	END
}

# Steps may hit, nvcc itself may not.
# bats test_tags=check
@test "build_dirs_nvcc: what holds or asks for the directory is bound to it" {
	names_table <<-'END'
	in        | one second
	any part  | $N -cubin -lineinfo -arch=sm_90
	any part  | $N -fatbin -arch=sm_90
	kernel.cu | extern "C" __global__ void k(int *o) { *o = sizeof __FILE__; }
	any part  | $N -cubin -arch=sm_90
	END
}

# bats test_tags=long
@test "build_dirs_nvcc: PTX with lines, and debug information, are bound to the directory" {
	names_table <<-'END'
	in        | one second
	any part  | $N -ptx -lineinfo -arch=sm_90
	any part  | $N -cubin -G -arch=sm_90
	END
}

# bats test_tags=check
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
