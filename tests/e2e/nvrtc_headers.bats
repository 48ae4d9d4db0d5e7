#!/usr/bin/env bats
# NVRTC inside a process: headers, passed and read from disk, that are there or are not.

setup() {
	load lib
	load nvrtc
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

# bats test_tags=check
@test "nvrtc headers: passed headers, by name and content" {
	job j -arch=sm_90 <<<'#include "a.h"
	#include <b/c.h>
	extern "C" __global__ void k(int *o) { *o = A + C; }'
	put j/one '#define A 1'
	put j/two '#define C 2'
	printf '%s\n' a.h=one b/c.h=two >j/headers
	rtc
	put j/two '#define C 3'
	again miss
	printf '%s\n' b/c.h=two a.h=one >j/headers
	again any
	printf '%s\n' a.h=two b/c.h=one >j/headers
	again any
	printf '%s\n' a.h=one b/c.h=two a.h=two >j/headers
	again any
	# A header that is not included.
	printf '%s\n' a.h=one b/c.h=two d.h=two >j/headers
	again any
	# Joined, the two texts are those of the first run. Only the border between them moved.
	put j/one '#define A 1' '#define C 2'
	put j/two ''
	printf '%s\n' a.h=one b/c.h=two >j/headers
	again miss
}

# bats test_tags=check
@test "nvrtc headers: a passed header and one on disk by the same name" {
	job j -arch=sm_90 <<<'#include "a.h"
	extern "C" __global__ void k(int *o) { *o = A; }'
	put a.h '#define A 1'
	rtc
	put j/one '#define A 2'
	printf '%s\n' a.h=one >j/headers
	again miss
	put a.h '#define A 3'
	again any
	rm j/headers
	again miss
}

# bats test_tags=long
@test "nvrtc headers: a header in the working directory" {
	job j -arch=sm_90 <<<'#include "a.h"
	extern "C" __global__ void k(int *o) { *o = A; }'
	mkdir sub
	put a.h '#define A 1'
	put sub/a.h '#define A 2'
	differential -- "$RUN" "$NVRTC" "$W/o" "$W/j"
	again miss --cd sub
	again hit
	put a.h '#define A 3'
	again miss
	again any --cd sub
	rm a.h
	again any
	mv sub/a.h .
	again any
	again any --cd sub
}

@test "nvrtc headers: one text in two directories" {
	mkdir sub
	kernel k | job j -arch=sm_90
	differential -- "$RUN" "$NVRTC" "$W/o" "$W/j"
	again hit --cd sub
}

# bats test_tags=check
@test "nvrtc headers: a header below the working directory, looked for by its full path" {
	mkdir at other
	job j -arch=sm_90 <<-END
	#if __has_include("$W/at/foo.h")
	#define A 1
	#else
	#define A 2
	#endif
	extern "C" __global__ void k(int *o) { *o = A; }
	END
	differential --cd at -- "$RUN" "$NVRTC" "$W/o" "$W/j"
	put at/foo.h ''
	again miss --cd other
	again any --cd at
	rm at/foo.h
	# The path names $W, which is above the working directory.
	job j -arch=sm_90 "-I$W" "-I$W/two" <<<'#include <at/foo.h>
	extern "C" __global__ void k(int *o) { *o = A; }'
	put two/at/foo.h '#define A 3'
	differential --cd at -- "$RUN" "$NVRTC" "$W/o" "$W/j"
	put at/foo.h '#define A 4'
	again miss --cd other
	again any --cd at
	rm at/foo.h
	# The header is beside the program, whose name is a path.
	job j -arch=sm_90 "-I$W/two" <<<'#include "at/foo.h"
	extern "C" __global__ void k(int *o) { *o = A; }'
	put j/name "$W/k.cu"
	differential --cd at -- "$RUN" "$NVRTC" "$W/o" "$W/j"
	put at/foo.h '#define A 5'
	again any --cd other
	again any --cd at
}

# bats test_tags=check
@test "nvrtc headers: line information names the working directory" {
	local option
	mkdir sub
	for option in -lineinfo -G; do
		kernel k | job j -arch=sm_90 $option
		put j/name k.cu
		differential -- "$RUN" "$NVRTC" "$W/o" "$W/j"
		again any --cd sub
		again any
		rm -r sub && mkdir -p real/sub && ln -s real/sub sub
		again any --cd sub
		rm sub && mkdir sub
	done
}

# bats test_tags=long
@test "nvrtc headers: LTO IR and OptiX IR hold the working directory" {
	local option library
	mkdir sub
	for library in "$NVRTC" "$NVRTC_OLD"; do
		for option in -dlto --dlink-time-opt --optix-ir -optix-ir ' -dlto'; do
			kernel k | job j -arch=compute_90 "$option"
			differential -- "$RUN" "$library" "$W/o" "$W/j"
			again miss --cd sub
		done
	done
}

# bats test_tags=long
@test "nvrtc headers: options that only begin as those for debugging" {
	local option
	mkdir sub
	for option in --gpu-architecture=compute_90 -I/opt/my-gcc -I/opt/x-Great -DG=1 \
		--gen-opt-lto; do
		kernel k | job j "$option"
		differential -- "$RUN" "$NVRTC" "$W/o" "$W/j"
		again hit --cd sub
	done
	for option in --device-debug --generate-line-info ' -lineinfo'; do
		kernel k | job j -arch=compute_90 "$option"
		differential -- "$RUN" "$NVRTC" "$W/o" "$W/j"
		again miss --cd sub
	done
}

# bats test_tags=check
@test "nvrtc headers: a header that appears earlier on the path" {
	job j -arch=sm_90 -Ione -I two --include-path=three <<<'#include <a.h>
	extern "C" __global__ void k(int *o) { *o = A; }'
	mkdir one two three
	put three/a.h '#define A 3'
	rtc
	put two/a.h '#define A 2'
	again miss
	put one/a.h '#define A 1'
	again miss
	# #include <> does not search the working directory.
	put a.h '#define A 0'
	again any
	rm one/a.h
	again any
	rm -r two
	again any
}

@test "nvrtc headers: a directory of the path that appears" {
	job j -arch=sm_90 -Inot/yet -Ithree <<<'#include "a.h"
	extern "C" __global__ void k(int *o) { *o = A; }'
	put three/a.h '#define A 3'
	rtc
	put not/yet/a.h '#define A 1'
	again miss
}

# bats test_tags=long
@test "nvrtc headers: a relative path from two directories" {
	job j -arch=sm_90 -Iinc <<<'#include <a.h>
	extern "C" __global__ void k(int *o) { *o = A; }'
	put inc/a.h '#define A 1'
	put sub/inc/a.h '#define A 2'
	differential -- "$RUN" "$NVRTC" "$W/o" "$W/j"
	again miss --cd sub
	again hit
	mv sub/inc/a.h sub/a.h
	again any --cd sub
}

# bats test_tags=check
@test "nvrtc headers: a header that may not be read, or is a directory" {
	job j -arch=sm_90 -Ione -Itwo <<<'#include <a.h>
	extern "C" __global__ void k(int *o) { *o = A; }'
	put two/a.h '#define A 2'
	mkdir -p one/a.h
	rtc --cold any --warm any
	rmdir one/a.h && ln -s nowhere one/a.h
	again any
	put one/nowhere '#define A 1'
	again miss
}

# bats test_tags=check
@test "nvrtc headers: a loop of links, then a header" {
	job j -arch=sm_90 -Ione -Itwo <<<'#include <a.h>
	extern "C" __global__ void k(int *o) { *o = A; }'
	mkdir one
	ln -s a.h one/a.h
	put two/a.h '#define A 2'
	rtc --cold any --warm any
	rm one/a.h && put one/a.h '#define A 1'
	again any
	# The directory of the path is itself the loop.
	rm -r one && ln -s one one
	again any
	rm one && put one/a.h '#define A 1'
	again any
}

# bats test_tags=check
@test "nvrtc headers: the job has few descriptors left" {
	local i n
	job j -arch=sm_90 -Iinc <<<'#include <a1.h>
	extern "C" __global__ void k(int *o) { *o = A; }'
	for i in 1 2 3 4 5; do put inc/a$i.h "#include \"a$((i + 1)).h\""; done
	put inc/a6.h '#if __has_include("a7.h")' '#define A 1' '#else' '#define A 2' '#endif'
	put inc/a7.h ''
	put "$ROOT/limited" '#!/bin/sh' 'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-' \
		'ulimit -n $LIMIT' 'exec "$DRIVER" "$@"'
	chmod +x "$ROOT/limited"
	export LIMIT DRIVER=$RUN
	for LIMIT in 6 7 8 9 10 11 12 13; do
		RUN=$ROOT/limited right -- "$NVRTC" o j
	done
	# The result of that process is not given to others.
	rtc
}

# bats test_tags=check
@test "nvrtc headers: __has_include turns true" {
	job j -arch=sm_90 -Ione <<<'#if __has_include("maybe.h")
	#define A 1
	#else
	#define A 2
	#endif
	extern "C" __global__ void k(int *o) { *o = A; }'
	mkdir one
	rtc
	put one/maybe.h ''
	again miss
	rm one/maybe.h
	again any
	put maybe.h ''
	again miss
}

# bats test_tags=check
@test "nvrtc headers: headers below headers, computed, by absolute name, by links" {
	mkdir -p inc/deep other
	put inc/a.h '#include "deep/b.h"'
	put inc/deep/b.h '#include "../c.h"' '#define NAME "d.h"' '#include NAME'
	put inc/c.h '#define C 1'
	put inc/deep/d.h '#define D 2'
	put other/e.h '#define E 3'
	ln -s inc link
	job j -arch=sm_90 -Ilink <<<"#include <a.h>
	#include \"$W/other/e.h\"
	extern \"C\" __global__ void k(int *o) { *o = C + 10 * D + 100 * E; }"
	rtc
	put inc/c.h '#define C 4'
	again miss
	put inc/deep/d.h '#define D 4'
	again miss
	put other/e.h '#define E 4'
	again miss
	cp -r inc inc2 && put inc2/c.h '#define C 5' && ln -sfn inc2 link
	again miss
	# A header beside its includer comes before the path.
	put inc2/deep/c.h '#define C 6'
	again any
}

# bats test_tags=check
@test "nvrtc headers: pre-included headers" {
	put one.h '#define A 1'
	put two.h '#define A 2'
	job j -arch=sm_90 -include=one.h <<<'extern "C" __global__ void k(int *o) { *o = A; }'
	rtc
	put one.h '#define A 3'
	again miss
	printf '%s\n' -arch=sm_90 --pre-include=two.h >j/options
	again miss
	put j/passed '#define A 4'
	put j/headers two.h=passed
	again miss
}

@test "nvrtc headers: a header of the same size and time" {
	job j -arch=sm_90 <<<'#include "a.h"
	extern "C" __global__ void k(int *o) { *o = A; }'
	put a.h '#define A 1'
	touch -d '2020-01-01 00:00:00' a.h
	rtc
	put a.h '#define A 2'
	touch -d '2020-01-01 00:00:00' a.h
	again miss
	put b.h '#define A 3'
	touch -d '2020-01-01 00:00:00' b.h
	mv b.h a.h
	again miss
}

@test "nvrtc headers: a header written just before" {
	local i
	job j -arch=sm_90 <<<'#include "a.h"
	extern "C" __global__ void k(int *o) { *o = A; }'
	for i in 1 2 3 4 5 6 7 8; do
		put a.h "#define A $i"
		under "$RUN" "$NVRTC" ours j >/dev/null
		"$RUN" "$NVRTC" plain j >/dev/null
		diff -r plain ours || return 1
		rm -r plain ours
	done
}

# bats test_tags=check
@test "nvrtc headers: a header that changes while the process lives" {
	job j -arch=sm_90 <<<'#include "a.h"
	extern "C" __global__ void k(int *o) { *o = A; }'
	put a.h '#define A 1'
	differential --fresh --cold any --warm any -- \
		"$RUN" -r 4 -w 'echo "#define A 2$RANDOM$A" >a.h; sed -i s/2.*/2/ a.h' "$NVRTC" o j
	# The header changes back and forth: the result for the earlier header must not be given.
	differential --fresh --cold any --warm any -- "$RUN" -r 6 -w 'if grep -q 1 a.h
		then echo "#define A 2"; else echo "#define A 1"; fi >b.h; mv b.h a.h' "$NVRTC" o j
}

# bats test_tags=check
@test "nvrtc headers: cuda_fp16.h and CCCL from disk" {
	job j -arch=sm_90 "-I$CUDA_INCLUDE" "-I$CUDA_INCLUDE/cccl" <<<'#include <cuda_fp16.h>
	extern "C" __global__ void k(__half *o) { *o = __hadd(*o, *o); }'
	rtc
	job j -arch=sm_90 "-I$CUDA_INCLUDE" \
		"-I$CUDA_INCLUDE/cccl" <<<'#include <cuda/std/type_traits>
	#include <cuda/std/array>
	extern "C" __global__ void k(int *o) {
	cuda::std::array<int, 3> a{1, 2, 3}; *o = a[threadIdx.x]; }'
	rtc
	# One of 300 headers hides another one that was found later.
	mkdir -p early/cuda/std
	{ echo "-I$W/early"; cat j/options; } >j/more && mv j/more j/options
	again miss
	put early/cuda/std/array 'namespace cuda { namespace std {' \
		'template <class T, int N> struct array { T t[2 * N];' \
		'__device__ T operator[](int i) { return t[i]; } }; } }'
	again miss
}
