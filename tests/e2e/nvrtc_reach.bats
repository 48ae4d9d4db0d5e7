#!/usr/bin/env bats
# Ways in which programs use NVRTC: dlopen, threads, forks; descriptors and memory that run out.

setup() {
	load lib
	load nvrtc
	load dlsym
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

@test "nvrtc reach: dlopen and dlsym, RTLD_LOCAL and RTLD_GLOBAL" {
	kernel k | job j -arch=sm_90
	differential -- "$RUN" "$NVRTC" o j
	differential --cold hit -- "$RUN" -g "$NVRTC" o j
}

# bats test_tags=long
@test "nvrtc reach: two versions at once by dlopen" {
	jobs_make 3 -arch=sm_90
	differential --tools 6 -- "$RUN" "$NVRTC,$NVRTC_OLD" o j1 j2 j3
	differential --tools 6 --cold hit -- "$RUN" -t 4 "$NVRTC_OLD,$NVRTC" o j1 j2 j3
}

# bats test_tags=long
@test "nvrtc reach: dlclose, and open again" {
	jobs_make 2 -arch=sm_90
	differential --tools 6 --cold any --warm hit -- "$RUN" -c -r 3 "$NVRTC" o j1 j2
	differential --tools 12 --cold any --warm hit -- "$RUN" -c -r 3 "$NVRTC,$NVRTC_OLD" o j1 j2
}

@test "nvrtc reach: another library where a closed one was" {
	mkdir lib
	ln -s "$NVRTC" lib/libnvrtc.so
	kernel k | job j -arch=sm_90
	ln -s "$NVRTC_OLD" lib/next
	differential --fresh --cold any --warm any -- "$RUN" -c -r 2 \
		-w 'mv -f lib/next lib/libnvrtc.so 2>/dev/null || true' "$W/lib/libnvrtc.so" o j
}

@test "nvrtc reach: ctypes" {
	cat >rtc.py <<-'EOP'
	import ctypes
	import sys
	lib = ctypes.CDLL(sys.argv[1])
	print([hasattr(lib, "nvrtc" + n)
	       for n in ("CompileProgram", "SetFlowCallback", "GetTileIR", "GetNVVM", "NoSuch")])
	program, size = ctypes.c_void_p(), ctypes.c_size_t()
	print(lib.nvrtcCreateProgram(ctypes.byref(program), b'extern "C" __global__ void k(int *o) '
	                             b'{ *o = 7; }', b"k.cu", 0, None, None))
	options = (ctypes.c_char_p * 1)(b"-arch=sm_90")
	print(lib.nvrtcCompileProgram(program, 1, options))
	print(lib.nvrtcGetCUBINSize(program, ctypes.byref(size)), size.value)
	cubin = ctypes.create_string_buffer(size.value)
	print(lib.nvrtcGetCUBIN(program, cubin))
	open("cubin", "wb").write(cubin.raw)
	lib.nvrtcGetErrorString.restype = ctypes.c_char_p
	print(lib.nvrtcGetErrorString(6), lib.nvrtcDestroyProgram(ctypes.byref(program)),
	      program.value)
	try:
	    print(ctypes.CDLL(None).nvrtcVersion)
	except AttributeError as e:
	    print("none in the program")
	EOP
	differential -- "$PY" rtc.py "$NVRTC"
	differential -- "$PY" rtc.py "$NVRTC_OLD"
}

@test "nvrtc reach: ten programs on eight threads" {
	jobs_make 10 -arch=sm_90
	differential --tools 10 -- "$RUN" -t 8 "$NVRTC" o j1 j2 j3 j4 j5 j6 j7 j8 j9 j10
}

@test "nvrtc reach: one program on eight threads at once" {
	kernel k | job j -arch=sm_90
	differential --tools 16 --cold any --warm hit -- "$RUN" -t 8 -r 16 "$NVRTC" o j
}

# bats test_tags=long
@test "nvrtc reach: programs handed from thread to thread" {
	jobs_make 10 -arch=sm_90
	differential --tools 10 -- "$RUN" -t 4 -x "$NVRTC" o j1 j2 j3 j4 j5 j6 j7 j8 j9 j10
	differential --tools 20 --cold any --warm hit -- \
		"$RUN" -t 5 -x -r 2 "$NVRTC" o j1 j2 j3 j4 j5 j6 j7 j8 j9 j10
}

# bats test_tags=long
@test "nvrtc reach: a fork between compile and answers" {
	jobs_make 3 -arch=sm_90
	differential --tools 3 -- "$RUN" -f "$NVRTC" o j1 j2 j3
	differential --tools 3 --cold hit -- "$RUN" -f -t 3 "$NVRTC" o j1 j2 j3
}

@test "nvrtc reach: forked workers that compile on" {
	cat >rtc.py <<-'EOP'
	import ctypes
	import os
	import sys
	lib = ctypes.CDLL(sys.argv[1])
	def one(n):
	    program, size = ctypes.c_void_p(), ctypes.c_size_t()
	    source = b'extern "C" __global__ void k(int *o) { *o = %d; }' % n
	    lib.nvrtcCreateProgram(ctypes.byref(program), source, None, 0, None, None)
	    status = lib.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"-arch=sm_90"))
	    lib.nvrtcGetCUBINSize(program, ctypes.byref(size))
	    cubin = ctypes.create_string_buffer(size.value)
	    lib.nvrtcGetCUBIN(program, cubin)
	    open("cubin%d.%s" % (n, "p" if os.getpid() == first else "c"), "wb").write(cubin.raw)
	    return status
	first = os.getpid()
	one(0)
	children = []
	for i in range(4):
	    pid = os.fork()
	    if pid == 0:
	        os._exit(one(i))
	    children.append(pid)
	print([os.waitpid(pid, 0)[1] for pid in children], [one(i) for i in range(4)])
	EOP
	differential --tools 9 --cold any --warm hit -- "$PY" rtc.py "$NVRTC"
}

@test "nvrtc reach: a program that destroys nothing" {
	jobs_make 3 -arch=sm_90
	differential --tools 9 --cold any --warm hit -- "$RUN" -n -r 3 "$NVRTC" o j1 j2 j3
}

# bats test_tags=check
@test "nvrtc reach: the store is wiped between compile and answers" {
	jobs_make 3 -arch=sm_90
	differential --tools 3 -- "$RUN" "$NVRTC" o j1 j2 j3
	differential --cold any --warm any -- "$RUN" -w "rm -rf '$STORE'" "$NVRTC" o j1 j2 j3
	differential --cold any --warm any -- \
		"$RUN" -r 2 -w "rm -rf '$STORE'/*/[0-9a-f][0-9a-f]" "$NVRTC" o j1 j2 j3
}

@test "nvrtc reach: answers while memory is short" {
	# 4 GiB of addresses: the library maps 250 MB.
	jobs_make 2 -arch=sm_90
	differential --tools 2 -- sh -c 'ulimit -v 4000000; exec "$@"' sh "$RUN" "$NVRTC" o j1 j2
}

@test "nvrtc reach: a program that closes descriptors of Reprise" {
	jobs_make 2 -arch=sm_90
	differential --tools 2 --cold any --warm any -- "$RUN" -w 'true' "$NVRTC" o j1 j2
	built closing -ldl <<-'EOC'
	#include <stdlib.h>
	#include <unistd.h>
	__attribute__((constructor)) static void shut(void) {
		for (int i = 3; i < 1024; i++) close(i);
	}
	int main(int argc, char **argv) { shut(); execv(argv[1], argv + 1); return 1; }
	EOC
	differential --cold any --warm any -- "$ROOT/closing" "$RUN" "$NVRTC" o j1 j2
}

@test "nvrtc reach: a callback" {
	kernel k | job j -arch=sm_90
	differential -- "$RUN" "$NVRTC" o j
	# The answers say whether it was called.
	differential --cold any --warm any -- "$RUN" -k "$NVRTC" o j
	grep -q 'called back: yes' "$ROOT/r/warm.tree/o/j/answers"
	differential --cold any --warm any -- "$RUN" -k "$NVRTC_OLD" o j
}

@test "nvrtc reach: a callback that cancels" {
	built cancel -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	static int stop(void *payload, void *unused) { return *(int *)payload; }
	int main(int argc, char **argv)
	{
		void *h = dlopen(argv[1], RTLD_NOW), *p;
		const char *options[] = { "-arch=sm_90" };
		int payload;
		for (payload = 0; payload < 2; payload++) {
			size_t n = 99;
			((int (*)())dlsym(h, "nvrtcCreateProgram"))(&p, "extern \"C\" __global__ "
				"void k(int *o) { *o = 5; }", NULL, 0, NULL, NULL);
			int s = ((int (*)())dlsym(h, "nvrtcSetFlowCallback"))(p, stop, &payload);
			int c = ((int (*)())dlsym(h, "nvrtcCompileProgram"))(p, 1, options);
			((int (*)())dlsym(h, "nvrtcGetCUBINSize"))(p, &n);
			printf("%d %d %zu\n", s, c, n);
		}
	}
	EOC
	kernel k | job j -arch=sm_90
	differential --cold any --warm any -- "$ROOT/cancel" "$NVRTC"
	# Nothing is stored of a cancelled compile.
	differential --cold any --warm any -- "$ROOT/cancel" "$NVRTC"
}

# bats test_tags=check
@test "nvrtc reach: dlmopen, whose reads another libc makes" {
	job j -arch=sm_90 <<<'#include "a.h"
	extern "C" __global__ void k(int *o) { *o = A; }'
	put a.h '#define A 1'
	differential --cold any --warm any -- "$RUN" -m "$NVRTC" o j
	put a.h '#define A 2'
	again any
	differential --cold any --warm any -- "$RUN" "$NVRTC" o j
	put a.h '#define A 3'
	differential --cold any --warm any -- "$RUN" -m "$NVRTC" o j
	again any
}

@test "nvrtc reach: texts that change after they were given" {
	cat >rtc.py <<-'EOP'
	import ctypes
	import sys
	lib = ctypes.CDLL(sys.argv[1])
	def one(fill):
	    source = ctypes.create_string_buffer(b'#include "a.h"\ntemplate <int N> __global__ '
	                                         b'void k(int *o) { *o = A + N; }')
	    header, name, file = (ctypes.create_string_buffer(t)
	                          for t in (b"#define A 5", b"a.h", b"one.cu"))
	    expression, option = (ctypes.create_string_buffer(b"k<4>"),
	                          ctypes.create_string_buffer(b"-arch=sm_90"))
	    program, size, lowered = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_char_p()
	    texts = (ctypes.c_char_p * 1)(ctypes.addressof(header))
	    names = (ctypes.c_char_p * 1)(ctypes.addressof(name))
	    print(lib.nvrtcCreateProgram(ctypes.byref(program), source, file, 1, texts, names),
	          lib.nvrtcAddNameExpression(program, expression))
	    for b in (source, header, name, file, expression):
	        ctypes.memset(b, fill, len(b) - 1)
	    print(lib.nvrtcCompileProgram(program, 1,
	                                  (ctypes.c_char_p * 1)(ctypes.addressof(option))))
	    ctypes.memset(option, fill, len(option) - 1)
	    print(lib.nvrtcGetLoweredName(program, b"k<4>", ctypes.byref(lowered)), lowered.value)
	    print(lib.nvrtcGetCUBINSize(program, ctypes.byref(size)), size.value)
	    cubin = ctypes.create_string_buffer(size.value)
	    print(lib.nvrtcGetCUBIN(program, cubin))
	    open("cubin%d" % fill, "wb").write(cubin.raw)
	one(32)
	one(120)
	EOP
	differential --tools 2 --cold any --warm hit -- "$PY" rtc.py "$NVRTC"
}

@test "nvrtc reach: a hit answers every question without a real compile" {
	# The library maps its builtins at the first real compile.
	cat >rtc.py <<-'EOP'
	import ctypes
	import sys
	lib = ctypes.CDLL(sys.argv[1])
	program, size, lowered = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_char_p()
	lib.nvrtcCreateProgram(ctypes.byref(program), b'extern "C" __global__ void k(int *o) { *o '
	                       b'= 7; }', None, 0, None, None)
	lib.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"-arch=sm_90"))
	for kind in ("PTX", "CUBIN", "LTOIR", "OptiXIR", "ProgramLog", "TileIR"):
	    getattr(lib, "nvrtcGet%sSize" % kind)(program, ctypes.byref(size))
	    getattr(lib, "nvrtcGet" + kind)(program, ctypes.create_string_buffer(size.value + 1))
	lib.nvrtcGetLoweredName(program, b"k", ctypes.byref(lowered))
	lib.nvrtcDestroyProgram(ctypes.byref(program))
	print("builtins" in open("/proc/self/maps").read())
	EOP
	[ "$(under "$PY" rtc.py "$NVRTC")" = True ]
	[ "$(under "$PY" rtc.py "$NVRTC")" = False ]
}

# bats test_tags=check
@test "nvrtc reach: another working directory between two compiles" {
	mkdir -p a/inc b/inc
	put a/a.h '#define A 1'
	put b/a.h '#define A 2'
	put a/inc/b.h '#define B 10'
	put b/inc/b.h '#define B 20'
	cat >rtc.py <<-'EOP'
	import ctypes
	import os
	import sys
	lib, top = ctypes.CDLL(sys.argv[1]), os.getcwd()
	def one(n):
	    program, size = ctypes.c_void_p(), ctypes.c_size_t()
	    text = (b'#include "a.h"\n#include <b.h>\n'
	            b'extern "C" __global__ void k(int *o) { *o = A + B; }')
	    lib.nvrtcCreateProgram(ctypes.byref(program), text, None, 0, None, None)
	    status = lib.nvrtcCompileProgram(program, 2,
	                                     (ctypes.c_char_p * 2)(b"-arch=sm_90", b"-Iinc"))
	    lib.nvrtcGetPTXSize(program, ctypes.byref(size))
	    ptx = ctypes.create_string_buffer(size.value)
	    lib.nvrtcGetPTX(program, ptx)
	    open("%s/ptx%d" % (top, n), "wb").write(ptx.raw)
	    return status
	for n, place in enumerate(("a", "b", "a", ".", "b")):
	    os.chdir(os.path.join(top, place))
	    print(place, one(n))
	os.chdir(top)
	EOP
	differential --cold any --warm any -- "$PY" rtc.py "$NVRTC"
	put b/inc/b.h '#define B 30'
	again any
	put inc/b.h '#define B 40'
	put a.h '#define A 4'
	again any
}

# bats test_tags=long
@test "nvrtc reach: nothing with REPRISE_FORCE_DISABLE=1" {
	kernel k | job j -arch=sm_90
	linked_run run "$NVRTC"
	differential --cold host --warm host --env REPRISE_FORCE_DISABLE=1 -- "$RUN" "$NVRTC" o j
	differential --cold host --warm host --env REPRISE_FORCE_DISABLE=1 -- "$ROOT/run" - o j
	differential --cold host --warm host --env TORCHINDUCTOR_FORCE_DISABLE_CACHES=1 -- \
		"$RUN" -t 2 -r 2 "$NVRTC" o j
}

# bats test_tags=check
@test "nvrtc reach: other processes wait for one compile" {
	{ numbered 1200 '__device__ float f%d(float x) { return sinf(x) * %d; }'; kernel k; } |
		job j -arch=sm_90 --device-as-default-execution-space
	differential --cold any --warm any --makes o1/j/CUBIN -- \
		sh -c 'for i in 1 2 3 4; do "$@" o$i j & done; wait' sh "$RUN" "$NVRTC"
}

@test "nvrtc reach: a forked child that loads the library" {
	built child -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <sys/wait.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		const char *options[] = { "-arch=sm_90" };
		size_t n = 99;
		int status;
		if (fork())
			return wait(&status) < 0 || status;
		void *h = dlopen(argv[1], RTLD_NOW), *p;
		int (*create)() = (int (*)())dlsym(h, "nvrtcCreateProgram");
		create(&p, "extern \"C\" __global__ void k(int *o) { *o = 5; }", "k.cu", 0, NULL,
			NULL);
		int s = ((int (*)())dlsym(h, "nvrtcCompileProgram"))(p, 1, options);
		((int (*)())dlsym(h, "nvrtcGetCUBINSize"))(p, &n);
		printf("%d %zu\n", s, n);
		((int (*)())dlsym(h, "nvrtcDestroyProgram"))(&p);
		return 0;
	}
	EOC
	differential --cold bypass:library -- "$ROOT/child" "$NVRTC"
	run reprise explain
	[[ $output == *'bypass: library'*'loaded after a fork'* ]] || fail "$output"
}
