#!/usr/bin/env bats
# NVRTC inside a process: generated names of programs, as CuPy makes them.

setup() {
	load lib
	load nvrtc
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

ONE=/tmp/tmpab12cd34 TWO=/tmp/tmpzz98xw76 THREE=/tmp/tmp7_q0mn5v

# named DIRECTORY: the name of the job's program is a path in this directory.
named() { put j/name "$1/k.cu"; }

# says TEXT PRODUCT: the job's present answer holds the text.
says() {
	under "$RUN" "$NVRTC" said j >/dev/null
	grep -q "$1" "said/j/$2" || { fail "no $1 in $2"; return 1; }
	rm -rf said
}

# bats test_tags=check
@test "nvrtc names: a generated directory is no part of the action" {
	kernel k | job j -arch=sm_90
	named $ONE
	rtc
	named $TWO
	again hit
	# A directory of any name and length.
	named $TWO/sub
	again hit
	named /srv/cache/wp_module_5b9c0ad4_p4711
	again hit
	# Another file, no directory, a relative one.
	put j/name $TWO/other.cu
	again miss
	put j/name $TWO.cu
	again miss
	put j/name sub/k.cu
	again miss
}

@test "nvrtc names: programs below other cache directories" {
	local d
	kernel k | job j -arch=sm_90
	named "$ROOT/root-a/5b9c0ad4-1234-4321-aaaa-0123456789ab"
	rtc
	for d in b/gemm_1732900000000_4711 c; do
		named "$ROOT/$d"
		again hit
	done
	# The log holds the name: directories of equal length.
	echo 'extern "C" __global__ void k(int *o) { int unused; *o = 1; }' | job j -arch=sm_90
	named "$ROOT/one"
	again miss
	named "$ROOT/two"
	again hit
	named "$ROOT/three"
	again miss
}

# bats test_tags=check
@test "nvrtc names: headers above the program's directory, and options that lead there" {
	put one/x.h '#define X 1'
	put two/x.h '#define X 2'
	echo '#include "../x.h"
	extern "C" __global__ void k(int *o) { *o = X; }' | job j -arch=sm_90
	named "$W/one/u"
	mkdir one/u two/v
	rtc
	named "$W/two/v"
	again miss
	put one/u/y.h '#define Y 3'
	put one/v/y.h '#define Y 4'
	echo '#if __has_include("u/y.h")
	#include "u/y.h"
	#else
	#define Y 5
	#endif
	extern "C" __global__ void k(int *o) { *o = Y; }' | job j -arch=sm_90 "-I$W/one"
	named "$W/one/v"
	again miss
	named "$W/two/u"
	again miss
	named "$W/one/u"
	again miss
}

# bats test_tags=check
@test "nvrtc names: a replayed log contains the name of this start" {
	echo 'extern "C" __global__ void k(int *o) { int unused; *o = 1; }' | job j -arch=sm_90
	named $ONE
	rtc
	named $TWO
	again hit
	says "$TWO" ProgramLog
	echo 'extern "C" __global__ void k(int *o) { *o = nothing; }' | job j -arch=sm_90
	named $ONE
	again miss
	named $TWO
	again hit
	says "$TWO" ProgramLog
}

@test "nvrtc names: a message of the program that contains its directory: bound" {
	local text
	for text in 'static_assert(0, "/srv/one");' '#pragma message("/srv/one is good")
		__device__ int unused() { int i; return 0; }' \
		'#define S(x) #x
		#define T(x) S(x)
		#pragma message(T(/srv/) "one")
		__device__ int unused() { int i; return 0; }'; do
		{ echo "$text"; kernel k; } | job j -arch=sm_90
		named /srv/one
		rtc
		named /srv/two
		again miss
	done
	# NVRTC's own places of the name.
	{ echo 'int x(int);
		#include "h.h"'; kernel k; } | job j -arch=sm_90
	echo 'float x; template<class T> __device__ void f(T *p) { zz(p); }
	__device__ void g(int *p) { f<int>(p); }' >j/text
	put j/headers h.h=text
	named /srv/one
	rtc
	named /srv/two
	again hit
}

@test "nvrtc names: line tables hold the name: bound" {
	kernel k | job j -arch=sm_90 -lineinfo
	named $ONE
	rtc
	named $TWO
	again miss
	named $THREE
	again miss
	says "$THREE" CUBIN
}

# bats test_tags=check
@test "nvrtc names: LTO IR differs with each name" {
	kernel k | job j -arch=sm_90 -dlto
	named $ONE
	rtc
	named $TWO
	again miss
	named $THREE
	again miss
	named $TWO
	again any
}

asks_for_its_own() { # TEXT...
	local text
	for text; do
		printf '#define PASTE(a, b) a##b\nextern "C" __global__ void k(int *o) { %s }\n' \
			"$text" | job j -arch=sm_90
		named $ONE
		rtc --cold any --warm any
		named $TWO
		again any
		printf 'extern "C" __global__ void k(int *o) { %s }\n' \
			"${text/PASTE(__FI, LE__)/__FILE__}" | job j -arch=sm_90
		named $ONE
		again any
		named $TWO
		again any
	done
}

# bats test_tags=check
@test "nvrtc names: a program that asks for its own name" {
	asks_for_its_own 'o[0] = __FILE__[9];' \
		'constexpr int c = __FILE__[10] == 98; o[0] = c;'
	# A name that is no path but contains one.
	echo 'extern "C" __global__ void k(int *o) { o[0] = __FILE__[11]; }' | job j -arch=sm_90
	put j/name "x=$ONE/k.cu"
	again any
	put j/name "x=$TWO/k.cu"
	again any
	# The same in a header, passed and on disk, and in an option.
	echo 'extern "C" __global__ void k(int *o) { o[0] = ME[9]; }' |
		job j -arch=sm_90 -DME=__FILE__
	named $ONE
	rtc
	named $TWO
	again miss
	echo '#include "me.h"
	extern "C" __global__ void k(int *o) { o[0] = ME[9]; }' | job j -arch=sm_90 -I.
	put j/text '#define ME __FILE__'
	put j/headers me.h=text
	named $ONE
	again miss
	named $TWO
	again miss
	rm j/headers
	put me.h '#define ME __FILE__'
	named $ONE
	again miss
	named $TWO
	again miss
}

# bats test_tags=long
@test "nvrtc names: other ways to ask for the name" {
	asks_for_its_own 'o[0] = __builtin_FILE()[10];' 'o[0] = __BASE_FILE__[10];' \
		'o[0] = PASTE(__FI, LE__)[10];'
}

# bats test_tags=check
@test "nvrtc names: a program that spells the directory" {
	local here=$W/tmpab12cd34 there=$W/tmpzz98xw76
	[[ $W = /tmp/* ]] || skip "the test's directory is not below /tmp"
	echo "#if __has_include(\"$here/a.h\")
	#define V 1
	#else
	#define V 2
	#endif
	extern \"C\" __global__ void k(int *o) { o[0] = V; }" | job j -arch=sm_90
	named "$here"
	rtc
	named "$there"
	again any
	mkdir "$here"
	put "$here/a.h" ''
	named "$there"
	again any
	named "$here"
	again any
	named "$W/tmp7_q0mn5v"
	again any
	rm -r "$here"
	again any
}

# bats test_tags=check
@test "nvrtc names: headers beside the program, there or not" {
	local here=$W/tmpab12cd34 there=$W/tmpzz98xw76
	[[ $W = /tmp/* ]] || skip "the test's directory is not below /tmp"
	mkdir "$here" "$there"
	echo '#include "a.h"
	extern "C" __global__ void k(int *o) { o[0] = V; }' | job j -arch=sm_90
	put a.h '#define V 1'
	named "$here"
	rtc
	named "$there"
	again hit
	put "$there/a.h" '#define V 2'
	again any
	named "$here"
	again any
	put "$here/a.h" '#define V 3'
	again any
	named "$W/tmp7_q0mn5v"
	again any
}

# bats test_tags=long
@test "nvrtc names: include directories of generated names: bound" {
	local here=$W/tmpab12cd34 there=$W/tmpzz98xw76 third=$W/tmp7_q0mn5v
	[[ $W = /tmp/* ]] || skip "the test's directory is not below /tmp"
	local dir
	for dir in "$here" "$there" "$third"; do
		mkdir "$dir"
		put "$dir/a.h" '#define V 1'
	done
	echo '#include <a.h>
	extern "C" __global__ void k(int *o) { o[0] = V; }' | job j -arch=sm_90 "-I$here"
	rtc
	printf '%s\n' -arch=sm_90 "-I$there" >j/options
	again miss
	printf '%s\n' -arch=sm_90 "-I$third" >j/options
	again miss
	put "$third/a.h" '#define V 2'
	again miss
}

# bats test_tags=check
@test "nvrtc names: assert contains the name, in PTX as numbers" {
	local what
	for what in sm_90 compute_90; do
		echo 'extern "C" __global__ void k(int *o) { assert(*o); }' | job j -arch=$what
		named $ONE
		rtc
		named $TWO
		again miss
		named $THREE
		again any
		rm -r j
	done
}

# bats test_tags=check
@test "nvrtc names: headers with macros that paste and ask, which the program does not use" {
	put disk/all.h '#define CAT(a, b) a##b' '#define SAY(x) __FILE__' \
		'#define HERE __builtin_FILE()' '#define CHECK(x) assert(x)' \
		'__device__ int inside(int x) { CHECK(x); return SAY(x)[0]; }'
	echo '#include <all.h>
	extern "C" __global__ void k(int *o) { o[0] = inside(o[1]); }' | job j -arch=sm_90 -Idisk
	named $ONE
	rtc
	named $TWO
	again hit
	local use
	for use in 'SAY(1)[10]' 'CAT(SA, Y(1))[10]' 'CAT(__FI, LE__)[10]'; do
		echo "#include <all.h>
		extern \"C\" __global__ void k(int *o) { o[0] = $use; }" | job j -arch=sm_90 -Idisk
		named $ONE
		again miss
		named $TWO
		again miss
	done
}

# bats test_tags=long
@test "nvrtc names: a program that asks by macros of options, and of NVRTC itself" {
	local option
	for option in -DF=__FI -D=F=__FI '-D F=__FI' --define-macro=F=__FI \
		'-DF=F1(I) -DF1(i)=__F##i'; do
		printf '#define P2(a, b) a##b\n#define P(a, b) P2(a, b)
		extern "C" __global__ void k(int *o) { o[0] = P(F, LE__)[10]; }' |
			job j -arch=sm_90
		printf '%s\n' "${option% -DF1*}" >>j/options
		[[ $option != *\ -DF1* ]] || echo "${option#* }" >>j/options
		named $ONE
		rtc --cold any --warm any
		named $TWO
		again any
	done
	local name
	for name in OURS NULL CUDART_VERSION va_arg; do
		printf '#ifdef %s\n#define F __FILE__\n#else\n#define F "0123456789ab"\n#endif
		extern "C" __global__ void k(int *o) { o[0] = F[10]; }' $name |
			job j -arch=sm_90 -DOURS
		named $ONE
		again any
		named $TWO
		again any
	done
}

# The measurement behind jit/generated_name.c: programs that one of the makers left in programs/,
# LIBRARY, least number of hits. One program a process: jit/library/option_state.c.
generated_named() {
	local lib=$1 p
	rm -rf one two ours
	mkdir one two ours
	for p in programs/p*; do
		put "$p/name" "$ONE/k.cu"
		under "$RUN" "$lib" "one/${p##*/}" "$p" >/dev/null
		put "$p/name" "$TWO/k.cu"
		under "$RUN" "$lib" "ours/${p##*/}" "$p" >/dev/null
		"$RUN" "$lib" "two/${p##*/}" "$p" >/dev/null
	done
	diff -r two ours || { fail "not what a plain run says under that name"; return 1; }
	[ -n "${REPRISE_TEST_UNCOUNTED-}" ] || [ "$(stat_of hits_local)" -ge "$2" ] ||
		{ fail "$(stat_of hits_local) hits"; return 1; }
}

# bats test_tags=long
@test "nvrtc names: generated programs under two names" {
	"$PY" "$E2E_DIR/nvrtc_programs.py" 11 60 programs "$CUDA_INCLUDE"
	generated_named "$NVRTC" 24
}

# bats test_tags=long
@test "nvrtc names: generated programs under two names, CUDA 12.1" {
	"$PY" "$E2E_DIR/nvrtc_programs.py" 12 30 programs "$CUDA_INCLUDE" 12
	generated_named "$NVRTC_OLD" 12
}

# bats test_tags=long
@test "nvrtc names: generated programs that might ask for their names" {
	"$PY" "$E2E_DIR/nvrtc_asks.py" "${REPRISE_TEST_SEED:-13}" \
		"${REPRISE_TEST_COUNT:-40}" programs
	generated_named "$NVRTC" 6
}

# bats test_tags=long
@test "nvrtc names: generated programs that might ask for their names, CUDA 12.1" {
	"$PY" "$E2E_DIR/nvrtc_asks.py" 14 20 programs 12
	generated_named "$NVRTC_OLD" 4
}
