#!/usr/bin/env bats
# NVRTC inside a process: a program that holds the time of day or the date is not stored.

setup() {
	load lib
	load nvrtc
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

@test "nvrtc_time: the time of day, in the source" {
	job j -arch=compute_90 <<<'__device__ char t[] = __TIME__;
	extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	fresh_each_second
	under "$RUN" "$NVRTC" o j
	[ "$(stat_of hits_local)" = 0 ]
}

# bats test_tags=check
@test "nvrtc_time: the time of day, in headers and options" {
	job j -arch=compute_90 <<<'#include "a.h"
	__device__ char t[] = NOW; extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	put a.h '#define NOW __TIME__'
	fresh_each_second
	put j/text '#define NOW __TIME__'
	put j/headers a.h=text
	fresh_each_second
	put j/text '/* NOW is an option */'
	printf '%s\n' -arch=compute_90 -DNOW=__TIME__ >j/options
	fresh_each_second
}

@test "nvrtc_time: the time of day, in a name expression" {
	job j -arch=compute_90 <<<'template <int N> __global__ void k(int *o) { *o = N; }'
	put j/expressions 'k<__TIME__[7]>'
	fresh_each_second
}

# bats test_tags=long
@test "nvrtc_time: the time of day, in pieces" {
	job j -arch=compute_90 <<<'#define PASTE(a, b) a##b
	#define T PASTE(__TI, ME__)
	__device__ char t[] = T; extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	fresh_each_second
	job j -arch=compute_90 <<<'__device__ char t[] = __TI\
ME__; extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	fresh_each_second
	job j -arch=compute_90 -DA=__TI -DB=ME__ <<<'#define PASTE_(a, b) a##b
	#define PASTE(a, b) PASTE_(a, b)
	__device__ char t[] = PASTE(A, B); extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	fresh_each_second
}

# bats test_tags=check
@test "nvrtc_time: the time of day, in three pieces and more" {
	local use
	for use in '__TIM##a##__ E' '__##a##__ TIME' '__##a##IM##E__ T'; do
		job j -arch=compute_90 <<<"#define P(a) ${use% *}
		__device__ char t[] = P(${use##* });
		extern \"C\" __global__ void k(char *o) { *o = t[*o]; }"
		fresh_each_second
	done
	put a.h '#define P(a, b, c, d) a##b##c##d'
	job j -arch=compute_90 -I"$W" -DS=_ <<<'#include "a.h"
	#define Q(a, b, c, d) P(a, b, c, d)
	__device__ char t[] = Q(Q(S, _, T, I), M, E, Q(S, S, , ));
	extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	fresh_each_second
}

# bats test_tags=check
@test "nvrtc_time: the time of day, in pieces of which an option is one" {
	echo '#define PASTE3(a, b, c) a##b##c
	#define PASTE(a, b, c) PASTE3(a, b, c)
	extern "C" __global__ void k(int *o) { o[0] = PASTE(__, F, __)[7]; }' |
		job j -arch=sm_90 -DF=TIME
	put j/name /srv/app/k.cu
	fresh_each_second
	printf '%s\n' -arch=sm_90 -D F=TIME >j/options
	fresh_each_second
}

# bats test_tags=check
@test "nvrtc_time: the time of day, in arguments that stand in two texts" {
	local macros='#define P(a, b, c, d) a##b##c##d
	#define H(a, b, c, d) c(a, b, d, a)
	#define OPEN H(__, TI,'
	job j -arch=compute_90 -I"$W" <<<'#include "a.h"
	ME, __); extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	put a.h "$macros
	__device__ char t[] = P(__, TI,"
	fresh_each_second
	put a.h "$macros"
	job j -arch=compute_90 -I"$W" <<<'#include "a.h"
	__device__ char t[] = OPEN P, ME); extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	fresh_each_second
	put b.h 'P, ME'
	job j -arch=compute_90 -I"$W" <<<'#include "a.h"
	__device__ char t[] = H(__, TI,
	#include "b.h"
	); extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	fresh_each_second
}

@test "nvrtc_time: the time of day, by NVRTC's own macros and behind blanks" {
	put a.h '__device__ char t[] =
	_NV_CONCAT_EVAL(_NV_CONCAT_EVAL(__, TI), _NV_CONCAT_EVAL(ME, __));'
	job j -arch=compute_90 -I"$W" <<<'#include "a.h"
	extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	fresh_each_second
	job j -arch=compute_90 '	-DP(a)=__##TI##a##__' <<<'__device__ char t[] = P(ME);
	extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	fresh_each_second
}

@test "nvrtc_time: a result with the date is not stored" {
	job j -arch=compute_90 <<<'__device__ char t[] = __DATE__;
	extern "C" __global__ void k(char *o) { *o = t[*o]; }'
	rtc --cold any --warm any
	[ "$(stat_of hits_local)" = 0 ]
}
