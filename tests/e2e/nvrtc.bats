#!/usr/bin/env bats
# NVRTC inside a process: the inputs of a result. Headers: nvrtc_headers.bats. The library's own
# files: nvrtc_files.bats. The time of day: nvrtc_time.bats. Ways to reach the library:
# nvrtc_reach.bats, nvrtc_linked.bats, nvrtc_dlsym.bats.

setup() {
	load lib
	load nvrtc
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

# bats test_tags=check
@test "nvrtc: a kernel to cubin, PTX, LTO IR, OptiX IR" {
	kernel k | job j -arch=sm_90
	rtc --makes o/j/CUBIN
	kernel k | job j -arch=compute_90
	rtc
	kernel k | job j
	rtc
	kernel k | job j -arch=sm_90 -dlto
	rtc --makes o/j/LTOIR
	kernel k | job j -arch=sm_90 --optix-ir
	rtc --makes o/j/OptiXIR
}

# bats test_tags=check
@test "nvrtc: the library of CUDA 12.1" {
	local options
	for options in -arch=sm_90 -arch=compute_80 -dlto; do
		kernel k | job j "$options"
		differential -- "$RUN" "$NVRTC_OLD" o j
	done
}

# bats test_tags=check
@test "nvrtc: another source, another option" {
	kernel k | job j -arch=sm_90
	rtc
	kernel k 2 | job j -arch=sm_90
	again miss
	kernel k 2 | job j -arch=sm_80
	again miss
	kernel k 2 | job j -arch=sm_80 -DA=1
	again miss
	kernel k | job j -arch=sm_90
	again hit
}

# bats test_tags=check
@test "nvrtc: where options begin and end" {
	job j -arch=sm_90 -DA=1 -DB=2 <<<'extern "C" __global__ void k(int *o) { *o = 10 * A + B; }'
	rtc
	printf '%s\n' -arch=sm_90 -DB=2 -DA=1 >j/options
	again any
	printf '%s\n' -arch=sm_90 -D A=1 -D B=2 >j/options
	again any
	printf '%s\n' -arch=sm_90 '-DA=1 -DB=2' -DB=3 >j/options
	again any
	printf '%s\n' -arch=sm_90 -DA=1 -DB=2 -UA >j/options
	again any
	printf '%s\n' -DA=1 -DB=2 '' -arch=sm_90 >j/options
	again any
	printf '%s\n' -DA=1 -DA=2 -DB=2 -arch=sm_90 -arch=sm_80 >j/options
	again any
	printf '%s\n' -DA=1 -DB=2 --gpu-architecture sm_80 >j/options
	again any
}

@test "nvrtc: options that are refused" {
	kernel k | job j -arch=native
	rtc --cold any --warm any
	kernel k | job j -bogus
	rtc --cold any --warm any
	kernel k | job j -I
	rtc --cold any --warm any
}

# bats test_tags=check
@test "nvrtc: errors in the source, with their log" {
	job j -arch=sm_90 <<<'extern "C" __global__ void k(int *o) { *o = nothing; }'
	rtc
	job j -arch=sm_90 <<<'#error "stop here"'
	rtc
	job j -arch=sm_90 <<<'#include "no/such.h"'
	rtc --cold any --warm any
	mkdir -p no && put no/such.h '/* there now */'
	again miss
}

@test "nvrtc: an error that may be the machine's" {
	# The machine lacks memory or descriptors, which is no property of the source. Here the
	# source prints such a message.
	job j -arch=sm_90 <<<'#error catastrophic error: out of memory'
	rtc --cold unstored:failed
	job j -arch=sm_90 <<<'#error cannot open source file "a.h": Too many open files'
	rtc --cold unstored:failed
	job j -arch=sm_90 <<<'#error cannot open source file "a.h"'
	rtc
}

# bats test_tags=check
@test "nvrtc: warnings, and messages that options ask for" {
	job j -arch=sm_90 <<<'extern "C" __global__ void k(int *o) { int unused; *o = 1; }'
	rtc
	printf '%s\n' -arch=sm_90 -w >j/options
	again miss
	printf '%s\n' -arch=sm_90 -Werror=all-warnings >j/options
	again miss
	printf '%s\n' -arch=sm_90 --optimization-info=inline --no-display-error-number >j/options
	again miss
	# The option is refused at once: nothing is stored.
	printf '%s\n' -arch=sm_90 --opt-info=inline >j/options
	again unstored
	# The log says how long the compile took. A replay prints the recorded log.
	printf '%s\n' -arch=sm_90 --ptxas-options=-v >j/options
	again miss --ignore 'ProgramLog answers'
}

# bats test_tags=check
@test "nvrtc: names made from the process id" {
	job j -arch=sm_90 <<<'namespace { __device__ int hidden; }
	template <typename T> __global__ void k(T *o) { *o = hidden++; }'
	put j/expressions 'k<int>'
	rtc --ignore 'PTX CUBIN answers'
	printf '%s\n' -arch=sm_90 --frandom-seed=7 >j/options
	again miss --ignore none
	again hit --ignore none
}

@test "nvrtc: an option that outlives its compile affects no other process" {
	local source='namespace { __device__ int v = 6; }
	extern "C" __global__ void k(int *o, const int *q, int n) {
	int i = threadIdx.x; o[i] = v + q[i]; o[i + 1] = q[i] * n; }'
	local option n=0
	echo "$source" | job b -arch=sm_90
	"$RUN" "$NVRTC" alone b >/dev/null
	for option in --restrict --optimization-info=inline; do
		echo "$source" | job a -arch=sm_90 "$option"
		rm -rf o
		under "$RUN" "$NVRTC" o a b >/dev/null
		# The result of b after a is not stored. A process that compiles b alone gets the
		# result of b alone.
		rm -rf ours
		under "$RUN" "$NVRTC" ours b >/dev/null
		diff -r alone/b ours/b || { fail "$option reached another process"; return 1; }
		[ -n "${REPRISE_TEST_UNCOUNTED-}" ] || [ "$(stat_of reason_mixed)" -ge $((++n)) ] ||
			{ fail "kept after $option"; return 1; }
		reprise clear --yes >/dev/null
	done
}

# bats test_tags=check
@test "nvrtc: CUDA 12.1 leaves the numbers of the C locale set" {
	local name
	need localedef
	mkdir locales
	localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 || skip "no sources of locales"
	cat >locale.py <<-'EOP'
	import ctypes
	import sys
	rtc, c = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(None)
	c.setlocale.restype = ctypes.c_char_p
	print(c.setlocale(1, sys.argv[2].encode()))
	program = ctypes.c_void_p()
	print(rtc.nvrtcCreateProgram(ctypes.byref(program), b"__global__ void k(float *x) "
	                             b"{ *x = 1.5f; }", b"x.cu", 0, None, None))
	print(rtc.nvrtcCompileProgram(program, 0, None), c.setlocale(1, None))
	EOP
	differential --env LOCPATH="$PWD/locales" -- "$PY" locale.py "$NVRTC_OLD" C
	again bypass:library -- "$PY" locale.py "$NVRTC_OLD" de_DE.UTF-8
	grep -q "0 b'C'" "$ROOT/r/plain.out" || fail "the locale stays: nothing is shown here"
	again any -- "$PY" locale.py "$NVRTC" de_DE.UTF-8
	again any --warm hit -- "$PY" locale.py "$NVRTC" C
}

# bats test_tags=check
@test "nvrtc: a thread that rounds otherwise, or flushes denormals" {
	local lib
	cat >round.py <<-'EOP'
	import ctypes
	import sys
	rtc, m = ctypes.CDLL(sys.argv[1]), ctypes.CDLL("libm.so.6")
	def state(how):
	    m.fesetround({"up": 0x800, "down": 0x400}.get(how, 0))
	    env = ctypes.create_string_buffer(32)
	    m.fegetenv(env)
	    mxcsr = int.from_bytes(env.raw[28:], "little") & ~0x8040
	    mxcsr |= 0x8040 if how == "flush" else 0
	    m.fesetenv(ctypes.create_string_buffer(env.raw[:28] + mxcsr.to_bytes(4, "little"), 32))
	source = b"""extern "C" __global__ void k(float *x) { x[0] = sinf(0.3f); x[1] = sqrtf(2.0f);
	    x[2] = 1e-40f * 3.0f; }"""
	program, size = ctypes.c_void_p(), ctypes.c_size_t()
	print(rtc.nvrtcCreateProgram(ctypes.byref(program), source, b"x.cu", 0, None, None))
	state(sys.argv[2])
	print(rtc.nvrtcCompileProgram(program, 0, None))
	state(sys.argv[3])
	print(rtc.nvrtcGetPTXSize(program, ctypes.byref(size)))
	ptx = ctypes.create_string_buffer(size.value)
	print(rtc.nvrtcGetPTX(program, ptx), ptx.raw.decode("latin1"))
	print(rtc.nvrtcDestroyProgram(ctypes.byref(program)))
	EOP
	for lib in "$NVRTC" "$NVRTC_OLD"; do
		differential -- "$PY" round.py "$lib" near near
		mv "$ROOT/r/plain.out" "$ROOT/near"
		again miss -- "$PY" round.py "$lib" up near
		! cmp -s "$ROOT/r/plain.out" "$ROOT/near" || fail "one code: nothing is shown here"
		again miss -- "$PY" round.py "$lib" down flush
		again miss -- "$PY" round.py "$lib" flush down
		again hit -- "$PY" round.py "$lib" near up
	done
}

# bats test_tags=check
@test "nvrtc: the program's name" {
	echo '__device__ const char name[] = __FILE__; namespace { __device__ int hidden; }
	extern "C" __global__ void k(int *o) { *o = hidden++ + name[o[1]]; }' |
		job j -arch=sm_90 -rdc=true
	rtc
	put j/name one.cu
	again miss
	put j/name two.cu
	again miss
	put j/name dir/one.cu
	again miss
	put j/name "$W/dir/one.cu"
	again miss
	put j/name ''
	again any
	rm j/name
	again hit
}

# bats test_tags=check
@test "nvrtc: name expressions" {
	job j -arch=sm_90 <<<'template <typename T> __global__ void k(T *o) { *o = T(1); }
	namespace n { __device__ float v; template <int N> __global__ void q() {} }'
	printf '%s\n' 'k<int>' 'k<float>' '&n::v' 'n::q<3 + 4>' >j/expressions
	rtc
	printf '%s\n' 'k<int>' 'k<float>' '&n::v' 'n::q<7>' >j/expressions
	again miss
	printf '%s\n' 'k<float>' 'k<int>' '&n::v' 'n::q<7>' >j/expressions
	again any
	printf '%s\n' 'k<int>' 'k<  int >' 'k<int>' >j/expressions
	again miss
	printf '%s\n' 'k<nothing>' >j/expressions
	again any
	: >j/expressions
	again any
}

# bats test_tags=long
@test "nvrtc: variables that the library reads" {
	local v
	kernel k | job j -arch=sm_90
	rtc
	for v in NVRTC_APPEND_FLAGS=-DX LANG=de_DE.UTF-8 LC_ALL=C.UTF-8 \
		NVRTC_DISABLE_CONCURRENT_NVVM=1 NVRTC_INTERNAL_GLOBAL_LOCK=1 \
		LLVM_OVERRIDE_PRODUCER=other NVVM_IR_VER_CHK=0 CAN_FINALIZE_DEBUG=0 \
		FINALIZER_USE_LEGACY_ELF_BUILDER=1 \
		NVRTC_DISABLE_PCH=1 NVRTC_PCH_HEAP_SIZE=1000000 PWD=/ EDG_BASE=/nowhere; do
		again any --env "$v" || { echo "with $v" >&2; return 1; }
	done
	again hit
	differential --cold any --warm any --env NVRTC_APPEND_FLAGS=-DX -- "$RUN" "$NVRTC_OLD" o j
}

# bats test_tags=check
@test "nvrtc: odd texts" {
	: | job j -arch=sm_90
	rtc
	printf '// no end of line' | job j -arch=sm_90
	rtc
	printf 'extern "C" __global__ void k(int *o) {\r\n*o = 1; \\\r\n}\r\n' | job j -arch=sm_90
	rtc
	printf '// \303\244\303\266 \377\376\nextern "C" __global__ void k(int *o) { *o = 1; }\n' |
		job j -arch=sm_90 '-DWIDE=ä ö'
	put j/name 'n ä m.cu'
	rtc
	{ numbered 2000 '__device__ int f%d(int x) { return x + %d; }'; kernel k; } |
		job j -arch=compute_90
	rtc
	printf '#line 7 "other.cu"\nextern "C" __global__ void k(int *o) { *o = nothing; }' |
		job j -arch=sm_90 -lineinfo
	rtc --cold any --warm any
}

# bats test_tags=long
@test "nvrtc: options that write files" {
	kernel k | job j -arch=sm_90 --time=t.csv
	rtc --cold any --warm any --makes t.csv --ignore t.csv
	kernel k | job j -arch=sm_90 --fdevice-time-trace=trace
	rtc --cold any --warm any --makes trace.json --ignore trace.json
	kernel k | job j -arch=sm_90 --create-pch=k.pch
	rtc --cold any --warm any --makes k.pch --ignore k.pch
	kernel k | job j -arch=sm_90 --pch --pch-dir=.
	differential --fresh --cold any --warm any --ignore '*.pch' -- "$RUN" "$NVRTC" o j
	kernel k | job j -arch=sm_90 --use-bundled-headers=bundle
	rtc --cold any --warm any --makes bundle --ignore .nvrtc_headers_version
	# Twice in one process: after a hit the file would be missing.
	kernel k | job j -arch=sm_90 -time=t.csv
	differential --cold any --warm any --makes t.csv --ignore t.csv -- "$RUN" -r 2 "$NVRTC" o j
}

@test "nvrtc: a precompiled header that changed" {
	put a.h '#define A 1' 'template <typename T> struct s { T t; };'
	put a '#include "a.h"' '#pragma nv_hdrstop'
	{ cat a; echo 'extern "C" __global__ void k(int *o) { *o = A; }'; } |
		job j -arch=sm_90 --create-pch=a.pch
	"$RUN" "$NVRTC" first j && rm -r first
	{ cat a; echo 'extern "C" __global__ void k(int *o) { *o = A; }'; } |
		job j -arch=sm_90 --use-pch=a.pch
	[ -e a.pch ]
	rtc --cold any --warm any
	put a.h '#define A 2' 'template <typename T> struct s { T t; };'
	again any
	rm a.pch
	again any
}

# bats test_tags=check
@test "nvrtc: a compile that is turned off is a bypass, and says why" {
	kernel k | job j -arch=sm_90 --split-compile=4
	rtc --cold bypass:arguments
	turned_off arguments 'not served: --split-compile=4'
	kernel k | job j -arch=sm_90
	rtc --cold bypass:arguments --env NVRTC_APPEND_FLAGS=--split-compile=4
	rtc
	differential --cold bypass:library -- "$RUN" -k "$NVRTC" o j
	turned_off library 'the program has a callback'
	put j/options2 -arch=sm_80
	differential --cold any --warm any -- "$RUN" -2 "$NVRTC" o j
	turned_off library 'the program was compiled before'
	rtc --cold bypass:store --env REPRISE_LOCAL=0
	kernel other | job j -arch=sm_90
	rtc --cold bypass:readonly --env REPRISE_READONLY=1
}

# bats test_tags=check
@test "nvrtc: a thread, words of other options in a path, a macro" {
	local option
	mkdir -p runtime/keep_pch
	put runtime/keep_pch/a.h '#define A time_step'
	{ echo '#include "a.h"'; kernel k 'sizeof(int[A])'; } | job j
	for option in --split-compile=1 -split-compile=1 -Xptxas=-split-compile=1; do
		put j/options -arch=sm_90 -Iruntime/keep_pch -Dtime_step=3 "$option"
		rtc --cold miss
	done
	put j/options -arch=sm_90 --include-path=runtime/keep_pch --define-macro=time_step=3 \
		--split-compile 1
	again miss
	put j/options -arch=sm_90 -Iruntime/keep_pch -Dtime_step=3 --split-compile 2
	again bypass:arguments
	put j/options -arch=sm_90 -Iruntime/keep_pch -Dtime_step=3 "--time=$ROOT/time"
	again bypass:arguments --warm bypass:arguments
}

@test "nvrtc: threads inside the library" {
	kernel k | job j -arch=sm_90 --split-compile=2
	put a.h '#define A 1'
	rtc --cold any --warm any
	{ echo '#include "a.h"'; kernel k A; } | job j -arch=sm_90 --split-compile=0
	again any
	put a.h '#define A 2'
	again any
}

@test "nvrtc: several times in one process" {
	jobs_make 3 -arch=sm_90
	differential --cold any --warm hit --tools 9 -- "$RUN" -r 3 "$NVRTC" o j1 j2 j3
}

# bats test_tags=long
@test "nvrtc: one program compiled twice" {
	kernel k | job j -arch=sm_90
	put j/options2 -arch=sm_80
	differential --cold any --warm any -- "$RUN" -2 "$NVRTC" o j
	put j/options2 -bogus
	again any
	put j/options2 -arch=compute_80
	again any
	# Another program's compile has stored the result.
	put j/options2 -arch=sm_90
	put j/options -bogus
	again any
	kernel k | job j -arch=sm_90
	rtc --cold any --warm any
	put j/options2 -arch=sm_90 -DNEVER
	differential --cold any --warm any -- "$RUN" -2 "$NVRTC" o j
	differential --cold any --warm any -- "$RUN" -2 "$NVRTC_OLD" o j
}

# bats test_tags=check
@test "nvrtc: asked before the compile, without sizes, and oddly" {
	kernel k | job j -arch=sm_90
	echo 'k' >j/expressions
	differential -- "$RUN" "$NVRTC" o j
	differential --cold any --warm any -- "$RUN" -e "$NVRTC" o j
	differential --cold any --warm any -- "$RUN" -a "$NVRTC" o j
	differential --cold any --warm any -- "$RUN" -o -e "$NVRTC" o j
	job j -arch=sm_90 <<<'nothing'
	differential --cold any --warm any -- "$RUN" -e -o -a "$NVRTC" o j
}

@test "nvrtc: a program that asks for no answer" {
	kernel k | job j -arch=sm_90
	differential -- "$RUN" -q "$NVRTC" o j
	rtc --cold hit
}

@test "nvrtc: nothing with REPRISE_FORCE_DISABLE=1" {
	kernel k | job j -arch=sm_90
	rtc
	rtc --cold host --env REPRISE_FORCE_DISABLE=1
}

# bats test_tags=long
@test "nvrtc: a damaged store" {
	local e n=0
	jobs_make 4 -arch=sm_90
	differential --tools 4 -- "$RUN" "$NVRTC" o j1 j2 j3 j4
	for e in $(entries); do
		case $((n++ % 3)) in
		0) truncate -s -3 "$e" ;;
		1)
			printf 'XXXX' | dd of="$e" bs=1 seek=$(($(stat -c %s "$e") / 2)) \
				conv=notrunc status=none
			;;
		2) : >"$e" ;;
		esac
	done
	right "$NVRTC" o j1 j2 j3 j4
	right "$NVRTC" o j1 j2 j3 j4
}

@test "nvrtc: a real compile is recorded, not an answer of the driver's cache" {
	need strace
	kernel k | job j -arch=sm_90
	strace -f -e trace=openat -o plain.st "$RUN" "$NVRTC" o j
	grep -q 'libcuda[.]so' plain.st ||
		fail "NVRTC does not look for its cache any more: nothing is shown here"
	strace -f -e trace=openat -o cold.st env "${RPENV[@]}" "$RUN" "$NVRTC" o2 j
	[ "$(stat_of nvrtc_misses)" = 1 ]
	grep -q 'libnvrtc[.]so' cold.st
	! grep 'libcuda[.]so' cold.st || fail "the recorded compile asks the driver"
	diff -r o/j o2/j
	# First a library that does not know the option, then a job that sets the option itself.
	rm -rf o o2
	differential -- "$RUN" "$NVRTC_OLD" o j
	kernel k | job j -arch=sm_90 --no-cache
	rtc
}

@test "nvrtc: a limit of file sizes ends no job" {
	kernel k | job j -arch=sm_90
	differential --fresh --cold any --warm any -- \
		sh -c 'ulimit -f 8; exec "$@"' sh "$RUN" "$NVRTC" o j
}
