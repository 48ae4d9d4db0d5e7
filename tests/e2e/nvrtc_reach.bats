#!/usr/bin/env bats
# The ways by which programs reach NVRTC, and what must stay as it is for those who look up other names.

setup() {
	load lib
	load nvrtc
	load dlsym
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

# linked NAME LIB: nvrtc_run, linked to LIB.
linked() {
	gcc -D_GNU_SOURCE -DLINKED -O1 -w -pthread -o "$ROOT/$1" "$E2E_DIR/helpers/nvrtc_run.c" "$2" -Wl,-rpath,"${2%/*}"
}

@test "nvrtc reach: dlopen and dlsym, RTLD_LOCAL and RTLD_GLOBAL" {
	kernel k | job j -arch=sm_90
	differential -- "$RUN" "$NVRTC" o j
	differential --cold hit -- "$RUN" -g "$NVRTC" o j
}

@test "nvrtc reach: a linked program" {
	kernel k | job j -arch=sm_90
	linked run "$NVRTC"
	differential -- "$ROOT/run" - o j
	differential --cold hit -- "$RUN" "$NVRTC" o j
	differential --cold hit -- "$ROOT/run" -f - o j
	differential --cold hit --tools 8 -- "$ROOT/run" -t 4 -r 8 - o j
	differential --cold host --warm host --env REPRISE_INPROCESS=0 -- "$ROOT/run" - o j
	linked run_old "$NVRTC_OLD"
	differential -- "$ROOT/run_old" - o j
	differential --cold hit -- "$RUN" "$NVRTC_OLD" o j
}

# As libcaffe2_nvrtc.so does it: a library that is linked to NVRTC and hands out addresses; opened RTLD_LOCAL by a program
# that knows none of these names.
table() { # NAME LIB
	built "$1" -shared -fPIC "$2" -Wl,-rpath,"${2%/*}" <<-'EOC'
	extern int nvrtcVersion(int *, int *), nvrtcCreateProgram(), nvrtcCompileProgram(), nvrtcGetCUBINSize(),
		nvrtcGetCUBIN(), nvrtcDestroyProgram(), nvrtcGetProgramLogSize();
	static void *at[] = { nvrtcVersion, nvrtcCreateProgram, nvrtcCompileProgram, nvrtcGetCUBINSize, nvrtcGetCUBIN,
		nvrtcDestroyProgram, nvrtcGetProgramLogSize };
	void **table(void) { return at; }
	EOC
}
table_program() {
	built by_table -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <stdlib.h>
	int main(int argc, char **argv)
	{
		const char *options[] = { "-arch=sm_90" };
		for (int i = 1; i < argc; i++) {
			void *h = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL), *p = NULL;
			if (!h) { puts(dlerror()); return 1; }
			void **(*table)(void) = dlsym(h, "table"), **at = table();
			int major = 0, minor = 0, r0 = ((int (*)(int *, int *))at[0])(&major, &minor);
			int r1 = ((int (*)(void **, const char *, const char *, int, void *, void *))at[1])(&p,
				"extern \"C\" __global__ void k(int *o) { *o = 5; }", NULL, 0, NULL, NULL);
			int r2 = ((int (*)(void *, int, const char **))at[2])(p, 1, options);
			size_t size = 0, log = 0;
			int r3 = ((int (*)(void *, size_t *))at[3])(p, &size);
			char *cubin = malloc(size + 1), name[20];
			int r4 = ((int (*)(void *, char *))at[4])(p, cubin);
			int r6 = ((int (*)(void *, size_t *))at[6])(p, &log);
			int r5 = ((int (*)(void **))at[5])(&p);
			snprintf(name, sizeof name, "cubin%d", i);
			FILE *out = fopen(name, "w");
			fwrite(cubin, 1, size, out);
			fclose(out);
			printf("%d.%d %d %d %d %d %zu %d %zu %d %d %p\n", major, minor, r0, r1, r2, r3, size, r4, log, r5, r6, p);
		}
	}
	EOC
}

@test "nvrtc reach: addresses handed out by a library that is linked" {
	table table.so "$NVRTC"
	table_program
	differential -- "$ROOT/by_table" "$ROOT/table.so"
}

@test "nvrtc reach: two such libraries, of two versions" {
	table new.so "$NVRTC"
	table old.so "$NVRTC_OLD"
	table_program
	differential --tools 2 -- "$ROOT/by_table" "$ROOT/new.so" "$ROOT/old.so"
	differential --tools 2 --cold hit -- "$ROOT/by_table" "$ROOT/old.so" "$ROOT/new.so"
	differential --tools 3 --cold hit -- "$ROOT/by_table" "$ROOT/old.so" "$ROOT/new.so" "$ROOT/old.so"
}

@test "nvrtc reach: a linked library that asks for a name nobody knows" {
	# Its programs could be anything: nothing of that build is served while it is loaded, and nothing is wrong.
	table_program
	built odd.so -shared -fPIC "$NVRTC" -Wl,-rpath,"${NVRTC%/*}" <<-'EOC'
	extern int nvrtcVersion(int *, int *), nvrtcCreateProgram(), nvrtcCompileProgram(), nvrtcGetCUBINSize(),
		nvrtcGetCUBIN(), nvrtcDestroyProgram(), nvrtcGetProgramLogSize(), __nvrtcCPEx();
	static void *at[] = { nvrtcVersion, nvrtcCreateProgram, nvrtcCompileProgram, nvrtcGetCUBINSize, nvrtcGetCUBIN,
		nvrtcDestroyProgram, nvrtcGetProgramLogSize, __nvrtcCPEx };
	void **table(void) { return at; }
	EOC
	table old.so "$NVRTC_OLD"
	differential --cold host --warm host -- "$ROOT/by_table" "$ROOT/odd.so"
	differential -- "$ROOT/by_table" "$ROOT/odd.so" "$ROOT/old.so"
}

@test "nvrtc reach: more versions and libraries than there are slots" {
	kernel k | job j -arch=sm_90
	linked run "$NVRTC"
	built many -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>
	int main(int argc, char **argv) /* LIBRARY OF nvJitLink, TABLE */
	{
		static const char *const of[] = { "12_0", "12_1", "13_0", "13_1", "13_2", "13_3", "13_4", "13_5" };
		const char *options[] = { "-arch=sm_90" };
		char name[64];
		for (int copy = 0; copy < 3; copy++) {
			snprintf(name, sizeof name, "copy%d.so", copy);
			symlink(argv[1], name);
			snprintf(name, sizeof name, "./copy%d.so", copy);
			void *h = dlopen(name, RTLD_NOW | RTLD_LOCAL);
			for (int i = 0; i < 8; i++) {
				snprintf(name, sizeof name, "__nvJitLinkCreate_%s", of[i]);
				printf("%d", dlsym(h, name) != NULL);
			}
		}
		puts("");
		void *p, **(*table)(void) = dlsym(dlopen(argv[2], RTLD_NOW | RTLD_LOCAL), "table"), **at = table();
		size_t size = 0;
		int r = ((int (*)(void **, const char *, const char *, int, void *, void *))at[1])(&p,
			"extern \"C\" __global__ void k(int *o) { *o = 5; }", NULL, 0, NULL, NULL);
		printf("%d ", r);
		printf("%d ", ((int (*)(void *, int, const char **))at[2])(p, 1, options));
		printf("%d ", ((int (*)(void *, size_t *))at[3])(p, &size));
		printf("%zu %d\n", size, ((int (*)(void **))at[5])(&p));
		return 0;
	}
	EOC
	table table.so "$NVRTC"
	differential --cold any --warm any -- "$ROOT/many" "$E2E_NVJITLINK" "$ROOT/table.so"
	differential --cold any --warm any -- "$ROOT/many" "$E2E_NVJITLINK_OLD" "$ROOT/table.so"
}

@test "nvrtc reach: a version is asked for where no library is, and where one is" {
	built version -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	int main(int argc, char **argv)
	{
		for (int i = 0; i < 2; i++) {
			void *f = dlvsym(RTLD_DEFAULT, "nvrtcCompileProgram", "libnvrtc.so.13");
			puts(f ? "there" : dlerror() ? "absent, and said so" : "absent");
			f = dlvsym(RTLD_DEFAULT, "nvrtcCompileProgram", "libnvrtc.so.12");
			puts(f ? "there" : dlerror() ? "absent, and said so" : "absent");
			f = dlsym(RTLD_DEFAULT, "nvrtcCompileProgram");
			puts(f ? "there" : dlerror() ? "absent, and said so" : "absent");
			dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
		}
		return 0;
	}
	EOC
	differential --cold host --warm host -- "$ROOT/version" "$NVRTC"
	differential --cold host --warm host -- "$ROOT/version" "$NVRTC_OLD"
}

@test "nvrtc reach: two versions at once by dlopen" {
	jobs_make 3 -arch=sm_90
	differential --tools 6 -- "$RUN" "$NVRTC,$NVRTC_OLD" o j1 j2 j3
	differential --tools 6 --cold hit -- "$RUN" -t 4 "$NVRTC_OLD,$NVRTC" o j1 j2 j3
}

@test "nvrtc reach: a linked version and one by dlopen" {
	# One library bound, another one asked for by name in the same process.
	built both "$NVRTC" -Wl,-rpath,"${NVRTC%/*}" -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	extern int nvrtcVersion(int *, int *), nvrtcCreateProgram(), nvrtcCompileProgram(), nvrtcGetCUBINSize(), nvrtcDestroyProgram();
	static void one(int (*version)(), int (*create)(), int (*compile)(), int (*size)(), int (*destroy)())
	{
		const char *options[] = { "-arch=sm_90" };
		int major, minor, r;
		void *p;
		size_t n = 0;
		version(&major, &minor);
		create(&p, "extern \"C\" __global__ void k(int *o) { *o = 5; }", NULL, 0, NULL, NULL);
		r = compile(p, 1, options);
		size(p, &n);
		printf("%d.%d %d %zu %d\n", major, minor, r, n, destroy(&p));
	}
	int main(int argc, char **argv)
	{
		void *h = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		for (int i = 0; i < 2; i++) {
			one(nvrtcVersion, nvrtcCreateProgram, nvrtcCompileProgram, nvrtcGetCUBINSize, nvrtcDestroyProgram);
			one(dlsym(h, "nvrtcVersion"), dlsym(h, "nvrtcCreateProgram"), dlsym(h, "nvrtcCompileProgram"),
			    dlsym(h, "nvrtcGetCUBINSize"), dlsym(h, "nvrtcDestroyProgram"));
		}
	}
	EOC
	differential --tools 4 --cold any --warm hit -- "$ROOT/both" "$NVRTC_OLD"
}

@test "nvrtc reach: names from different looks at one library" {
	# Found by handle, by another handle, by version, in the global scope, in the program's own: one program for all.
	built mixed -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <stdlib.h>
	static void *find(char how, void **h, const char *name, const char *version)
	{
		switch (how) {
		case 'a': return dlsym(h[0], name);
		case 'b': return dlsym(h[1], name);
		case 'v': return dlvsym(h[0], name, version);
		case 'd': return dlsym(RTLD_DEFAULT, name);
		default: return dlsym(h[2], name);
		}
	}
	int main(int argc, char **argv) /* LIB VERSION HOW: five letters */
	{
		const char *options[] = { "-arch=sm_90" }, *w = argv[3];
		void *h[] = { dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL), dlopen(argv[1], RTLD_LAZY), dlopen(NULL, RTLD_NOW) }, *p;
		size_t n = 0;
		int (*create)() = find(w[0], h, "nvrtcCreateProgram", argv[2]), (*compile)() = find(w[1], h, "nvrtcCompileProgram", argv[2]),
		    (*size)() = find(w[2], h, "nvrtcGetCUBINSize", argv[2]), (*get)() = find(w[3], h, "nvrtcGetCUBIN", argv[2]),
		    (*destroy)() = find(w[4], h, "nvrtcDestroyProgram", argv[2]);
		int r = create(&p, "extern \"C\" __global__ void k(int *o) { *o = 5; }", NULL, 0, NULL, NULL), c = compile(p, 1, options);
		int s = size(p, &n);
		char *bytes = calloc(1, n + 1);
		int g = get(p, bytes);
		FILE *out = fopen("cubin", "w");
		fwrite(bytes, 1, n, out);
		fclose(out);
		printf("%d %d %d %zu %d %d\n", r, c, s, n, g, destroy(&p));
	}
	EOC
	local how version
	version=${NVRTC##*/}
	# What is not reached by dlsym alone may be passed through, and must be right.
	for how in aaaaa abaab ddddd daadd mmmmm ammaa vvvvv avvvv aavva avaaa vaaaa aaava; do
		differential --cold any --warm any -- "$ROOT/mixed" "$NVRTC" "$version" "$how" || { echo "as $how" >&2; return 1; }
	done
	differential --cold hit -- "$ROOT/mixed" "$NVRTC" "$version" abaab
}

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
	differential --fresh --cold any --warm any -- "$RUN" -c -r 2 -w 'mv -f lib/next lib/libnvrtc.so 2>/dev/null || true' "$W/lib/libnvrtc.so" o j
}

@test "nvrtc reach: ctypes" {
	cat >rtc.py <<-'EOP'
	import ctypes
	import sys
	lib = ctypes.CDLL(sys.argv[1])
	print([hasattr(lib, "nvrtc" + n) for n in ("CompileProgram", "SetFlowCallback", "GetTileIR", "GetNVVM", "NoSuch")])
	program, size = ctypes.c_void_p(), ctypes.c_size_t()
	print(lib.nvrtcCreateProgram(ctypes.byref(program), b'extern "C" __global__ void k(int *o) { *o = 7; }', b"k.cu", 0, None, None))
	options = (ctypes.c_char_p * 1)(b"-arch=sm_90")
	print(lib.nvrtcCompileProgram(program, 1, options))
	print(lib.nvrtcGetCUBINSize(program, ctypes.byref(size)), size.value)
	cubin = ctypes.create_string_buffer(size.value)
	print(lib.nvrtcGetCUBIN(program, cubin))
	open("cubin", "wb").write(cubin.raw)
	lib.nvrtcGetErrorString.restype = ctypes.c_char_p
	print(lib.nvrtcGetErrorString(6), lib.nvrtcDestroyProgram(ctypes.byref(program)), program.value)
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

@test "nvrtc reach: programs handed from thread to thread" {
	jobs_make 10 -arch=sm_90
	differential --tools 10 -- "$RUN" -t 4 -x "$NVRTC" o j1 j2 j3 j4 j5 j6 j7 j8 j9 j10
	differential --tools 20 --cold any --warm hit -- "$RUN" -t 5 -x -r 2 "$NVRTC" o j1 j2 j3 j4 j5 j6 j7 j8 j9 j10
}

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

@test "nvrtc reach: the store is wiped between compile and answers" {
	jobs_make 3 -arch=sm_90
	differential --tools 3 -- "$RUN" "$NVRTC" o j1 j2 j3
	differential --cold any --warm any -- "$RUN" -w "rm -rf '$STORE'" "$NVRTC" o j1 j2 j3
	differential --cold any --warm any -- "$RUN" -r 2 -w "rm -rf '$STORE'/*/[0-9a-f][0-9a-f]" "$NVRTC" o j1 j2 j3
}

@test "nvrtc reach: answers while memory is short" {
	# 4 GiB of addresses: the library maps 250 MB.
	jobs_make 2 -arch=sm_90
	differential --tools 2 -- sh -c 'ulimit -v 4000000; exec "$@"' sh "$RUN" "$NVRTC" o j1 j2
}

@test "nvrtc reach: descriptors closed behind our back" {
	jobs_make 2 -arch=sm_90
	differential --tools 2 --cold any --warm any -- "$RUN" -w 'true' "$NVRTC" o j1 j2
	built closing -ldl <<-'EOC'
	#include <stdlib.h>
	#include <unistd.h>
	__attribute__((constructor)) static void shut(void) { for (int i = 3; i < 1024; i++) close(i); }
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
			((int (*)())dlsym(h, "nvrtcCreateProgram"))(&p, "extern \"C\" __global__ void k(int *o) { *o = 5; }", NULL, 0, NULL, NULL);
			int s = ((int (*)())dlsym(h, "nvrtcSetFlowCallback"))(p, stop, &payload);
			int c = ((int (*)())dlsym(h, "nvrtcCompileProgram"))(p, 1, options);
			((int (*)())dlsym(h, "nvrtcGetCUBINSize"))(p, &n);
			printf("%d %d %zu\n", s, c, n);
		}
	}
	EOC
	kernel k | job j -arch=sm_90
	differential --cold any --warm any -- "$ROOT/cancel" "$NVRTC"
	# Nothing of what was cancelled is kept.
	differential --cold any --warm any -- "$ROOT/cancel" "$NVRTC"
}

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

@test "nvrtc reach: dlsym of everything else" {
	lookups
	# Without a library of NVIDIA's no name of theirs is there.
	differential --cold host --warm host -- "$ROOT/looks" "$ROOT/looks.so"
}

@test "nvrtc reach: another object that wraps dlsym, before and after" {
	local kind
	kernel k | job j -arch=sm_90
	printf '#!/bin/sh\nreprise=$LD_PRELOAD\nexport LD_PRELOAD="$BEFORE$reprise$AFTER"\nexec "$@"\n' >"$ROOT/with"
	chmod +x "$ROOT/with"
	for kind in 'wrapper other -O2' 'wrapper other -O0' 'wrapper_next other -O2'; do
		$kind
		differential --cold any --warm any --env "BEFORE=$ROOT/other.so " -- "$ROOT/with" "$RUN" "$NVRTC" o j
		grep -q asked "$ROOT/r/warm.out" || return 1
		differential --cold any --warm any --env "AFTER= $ROOT/other.so" -- "$ROOT/with" "$RUN" "$NVRTC" o j
		grep -q asked "$ROOT/r/warm.out" || return 1
	done
	# One before us finds the next dlsym by libc's version, so passes us by: nothing is served, all is right. After us:
	wrapper other -O2
	differential --cold hit --env "AFTER= $ROOT/other.so" -- "$ROOT/with" "$RUN" "$NVRTC" o j
}

@test "nvrtc reach: a preload that finds the next puts" {
	built puts.so -shared -fPIC <<-'EOC'
	#include <dlfcn.h>
	int puts(const char *s)
	{
		static int (*next)(const char *);
		if (!next)
			next = (int (*)(const char *))dlsym(RTLD_NEXT, "puts");
		return next(s) + 0;
	}
	EOC
	built say <<-'EOC'
	#include <stdio.h>
	int main(void) { puts("once"); return 0; }
	EOC
	printf '#!/bin/sh\nexport LD_PRELOAD="$BEFORE$LD_PRELOAD$AFTER"\nexec "$@"\n' >"$ROOT/with"
	chmod +x "$ROOT/with"
	differential --cold host --warm host --env "BEFORE=$ROOT/puts.so " -- "$ROOT/with" "$ROOT/say"
	differential --cold host --warm host --env "AFTER= $ROOT/puts.so" -- "$ROOT/with" "$ROOT/say"
}

@test "nvrtc reach: a library of the same names that passes on to the real one" {
	built libnvrtc.so.13 -shared -fPIC -ldl <<-EOC
	#include <dlfcn.h>
	static void *real(const char *name)
	{
		static void *h;
		if (!h)
			h = dlopen("$NVRTC", RTLD_NOW | RTLD_LOCAL);
		return dlsym(h, name);
	}
	#define PASS(name, types, values) int name types { return ((int (*)())real(#name)) values; }
	PASS(nvrtcVersion, (void *a, void *b), (a, b))
	PASS(nvrtcGetErrorString, (int a), (a))
	PASS(nvrtcCreateProgram, (void *a, void *b, void *c, int d, void *e, void *f), (a, b, c, d, e, f))
	PASS(nvrtcDestroyProgram, (void *a), (a))
	PASS(nvrtcCompileProgram, (void *a, int b, void *c), (a, b, c))
	PASS(nvrtcAddNameExpression, (void *a, void *b), (a, b))
	PASS(nvrtcGetLoweredName, (void *a, void *b, void *c), (a, b, c))
	#define BOTH(what) PASS(nvrtcGet##what##Size, (void *a, void *b), (a, b)) PASS(nvrtcGet##what, (void *a, void *b), (a, b))
	BOTH(PTX) BOTH(CUBIN) BOTH(LTOIR) BOTH(OptiXIR) BOTH(ProgramLog)
	EOC
	jobs_make 2 -arch=sm_90
	put j1/expressions k1
	differential --cold any --warm any -- "$RUN" "$ROOT/libnvrtc.so.13" o j1 j2
	differential --cold any --warm any -- "$RUN" -r 2 "$ROOT/libnvrtc.so.13,$NVRTC" o j1 j2
}

@test "nvrtc reach: names that a program of its own exports" {
	# A program with functions of these names, that has nothing to do with NVRTC.
	built own -rdynamic -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	int nvrtcVersion(int *a, int *b) { *a = 40; *b = 2; return 0; }
	int nvrtcCompileProgram(void *p, int n, const char **o) { return 77; }
	int main(void)
	{
		int a = 0, b = 0;
		int (*version)(int *, int *) = dlsym(RTLD_DEFAULT, "nvrtcVersion"), (*compile)() = dlsym(dlopen(NULL, RTLD_NOW), "nvrtcCompileProgram");
		printf("%d %d %d %d\n", version(&a, &b), a, b, compile(0, 0, 0));
		printf("%d %d\n", nvrtcVersion(&a, &b), nvrtcCompileProgram(0, 0, 0));
		printf("%s\n", dlsym(RTLD_DEFAULT, "nvrtcCreateProgram") ? "one" : "none");
	}
	EOC
	differential --cold host --warm host -- "$ROOT/own"
}

@test "nvrtc reach: weak references without a library" {
	built weak <<-'EOC'
	#include <stdio.h>
	extern int nvrtcVersion(int *, int *) __attribute__((weak));
	extern int nvJitLinkComplete(void *) __attribute__((weak));
	int main(void)
	{
		int a = 7, b = 8;
		/* Ours where we are preloaded: an error, and nothing written. */
		int r = nvrtcVersion ? nvrtcVersion(&a, &b) : 1, s = nvJitLinkComplete ? nvJitLinkComplete(0) : 1;
		printf("%s %s %d %d\n", r ? "no" : "yes", s ? "no" : "yes", a, b);
	}
	EOC
	differential --cold host --warm host -- "$ROOT/weak"
}

@test "nvrtc reach: texts that change after they were given" {
	cat >rtc.py <<-'EOP'
	import ctypes
	import sys
	lib = ctypes.CDLL(sys.argv[1])
	def one(fill):
	    source = ctypes.create_string_buffer(b'#include "a.h"\ntemplate <int N> __global__ void k(int *o) { *o = A + N; }')
	    header, name, file = (ctypes.create_string_buffer(t) for t in (b"#define A 5", b"a.h", b"one.cu"))
	    expression, option = ctypes.create_string_buffer(b"k<4>"), ctypes.create_string_buffer(b"-arch=sm_90")
	    program, size, lowered = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_char_p()
	    texts = (ctypes.c_char_p * 1)(ctypes.addressof(header))
	    names = (ctypes.c_char_p * 1)(ctypes.addressof(name))
	    print(lib.nvrtcCreateProgram(ctypes.byref(program), source, file, 1, texts, names), lib.nvrtcAddNameExpression(program, expression))
	    for b in (source, header, name, file, expression):
	        ctypes.memset(b, fill, len(b) - 1)
	    print(lib.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(ctypes.addressof(option))))
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

@test "nvrtc reach: a hit answers all by itself" {
	# The library maps its builtins at the first real compile.
	cat >rtc.py <<-'EOP'
	import ctypes
	import sys
	lib = ctypes.CDLL(sys.argv[1])
	program, size, lowered = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_char_p()
	lib.nvrtcCreateProgram(ctypes.byref(program), b'extern "C" __global__ void k(int *o) { *o = 7; }', None, 0, None, None)
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
	    text = b'#include "a.h"\n#include <b.h>\nextern "C" __global__ void k(int *o) { *o = A + B; }'
	    lib.nvrtcCreateProgram(ctypes.byref(program), text, None, 0, None, None)
	    status = lib.nvrtcCompileProgram(program, 2, (ctypes.c_char_p * 2)(b"-arch=sm_90", b"-Iinc"))
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

@test "nvrtc reach: nothing with REPRISE_FORCE_DISABLE=1" {
	kernel k | job j -arch=sm_90
	linked run "$NVRTC"
	differential --cold host --warm host --env REPRISE_FORCE_DISABLE=1 -- "$RUN" "$NVRTC" o j
	differential --cold host --warm host --env REPRISE_FORCE_DISABLE=1 -- "$ROOT/run" - o j
	differential --cold host --warm host --env TORCHINDUCTOR_FORCE_DISABLE_CACHES=1 -- "$RUN" -t 2 -r 2 "$NVRTC" o j
}

@test "nvrtc reach: other processes wait for one compile" {
	{ for i in $(seq 3000); do echo "__device__ float f$i(float x) { return sinf(x) * $i; }"; done; kernel k; } | job j -arch=sm_90 --device-as-default-execution-space
	differential --cold any --warm any --makes o1/j/CUBIN -- sh -c 'for i in 1 2 3 4; do "$@" o$i j & done; wait' sh "$RUN" "$NVRTC"
}
