#!/usr/bin/env bats
# dlsym: our functions in place of NVRTC's. Programs that look up other names, or wrap dlsym
# themselves, see no difference.

setup() {
	load lib
	load nvrtc
	load dlsym
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

# bats test_tags=check
@test "nvrtc dlsym: names by different look-ups in one library" {
	# Lookups by two handles, by version, in the global scope, in the program's own: one program
	# for all.
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
		void *h[] = { dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL), dlopen(argv[1], RTLD_LAZY),
		             dlopen(NULL, RTLD_NOW) }, *p;
		size_t n = 0;
		int (*create)() = find(w[0], h, "nvrtcCreateProgram", argv[2]),
			(*compile)() = find(w[1], h, "nvrtcCompileProgram", argv[2]),
		    (*size)() = find(w[2], h, "nvrtcGetCUBINSize", argv[2]),
		    (*get)() = find(w[3], h, "nvrtcGetCUBIN", argv[2]),
		    (*destroy)() = find(w[4], h, "nvrtcDestroyProgram", argv[2]);
		int r = create(&p, "extern \"C\" __global__ void k(int *o) { *o = 5; }", NULL, 0,
		               NULL, NULL), c = compile(p, 1, options);
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
	# A lookup by another way than dlsym may be passed on unserved. Its results must be right.
	for how in aaaaa abaab ddddd daadd mmmmm ammaa vvvvv avvvv aavva avaaa vaaaa aaava; do
		differential --cold any --warm any -- "$ROOT/mixed" "$NVRTC" "$version" "$how" ||
			{ echo "as $how" >&2; return 1; }
	done
	differential --cold hit -- "$ROOT/mixed" "$NVRTC" "$version" abaab
}

@test "nvrtc dlsym: a version is asked for without a library, and with one" {
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

@test "nvrtc dlsym: dlsym of everything else" {
	lookups
	# If no library of NVIDIA is loaded, its names are not defined.
	differential --cold host --warm host -- "$ROOT/looks" "$ROOT/looks.so"
}

# bats test_tags=check
@test "nvrtc dlsym: another object that wraps dlsym, before and after" {
	local kind
	kernel k | job j -arch=sm_90
	printf '%s\n' '#!/bin/sh' 'reprise=$LD_PRELOAD' \
		'export LD_PRELOAD="$BEFORE$reprise$AFTER"' 'exec "$@"' >"$ROOT/with"
	chmod +x "$ROOT/with"
	for kind in 'wrapper other -O2' 'wrapper other -O0' 'wrapper_next other -O2'; do
		$kind
		differential --cold any --warm any --env "BEFORE=$ROOT/other.so " -- \
			"$ROOT/with" "$RUN" "$NVRTC" o j
		grep -q asked "$ROOT/r/warm.out" || return 1
		differential --cold any --warm any --env "AFTER= $ROOT/other.so" -- \
			"$ROOT/with" "$RUN" "$NVRTC" o j
		grep -q asked "$ROOT/r/warm.out" || return 1
	done
	# A wrapper before our object finds the next dlsym by libc's version, so it calls libc's and
	# not ours: nothing is replayed, all is right. A wrapper after our object:
	wrapper other -O2
	differential --cold hit --env "AFTER= $ROOT/other.so" -- "$ROOT/with" "$RUN" "$NVRTC" o j
}

@test "nvrtc dlsym: a preload that finds the next puts" {
	puts_preload
	printf '#!/bin/sh\nexport LD_PRELOAD="$BEFORE$LD_PRELOAD$AFTER"\nexec "$@"\n' >"$ROOT/with"
	chmod +x "$ROOT/with"
	differential --cold host --warm host --env "BEFORE=$ROOT/puts.so " -- \
		"$ROOT/with" "$ROOT/say"
	differential --cold host --warm host --env "AFTER= $ROOT/puts.so" -- \
		"$ROOT/with" "$ROOT/say"
}

# bats test_tags=check
@test "nvrtc dlsym: a library of the same names that passes on to the real one" {
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
	PASS(nvrtcCreateProgram, (void *a, void *b, void *c, int d, void *e, void *f),
	     (a, b, c, d, e, f))
	PASS(nvrtcDestroyProgram, (void *a), (a))
	PASS(nvrtcCompileProgram, (void *a, int b, void *c), (a, b, c))
	PASS(nvrtcAddNameExpression, (void *a, void *b), (a, b))
	PASS(nvrtcGetLoweredName, (void *a, void *b, void *c), (a, b, c))
	#define BOTH(what) \
		PASS(nvrtcGet##what##Size, (void *a, void *b), (a, b)) \
		PASS(nvrtcGet##what, (void *a, void *b), (a, b))
	BOTH(PTX) BOTH(CUBIN) BOTH(LTOIR) BOTH(OptiXIR) BOTH(ProgramLog)
	EOC
	jobs_make 2 -arch=sm_90
	put j1/expressions k1
	differential --cold any --warm any -- "$RUN" "$ROOT/libnvrtc.so.13" o j1 j2
	differential --cold any --warm any -- "$RUN" -r 2 "$ROOT/libnvrtc.so.13,$NVRTC" o j1 j2
}

@test "nvrtc dlsym: names that a program of its own exports" {
	# A program with functions of these names, that has nothing to do with NVRTC.
	built own -rdynamic -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	int nvrtcVersion(int *a, int *b) { *a = 40; *b = 2; return 0; }
	int nvrtcCompileProgram(void *p, int n, const char **o) { return 77; }
	int main(void)
	{
		int a = 0, b = 0;
		int (*version)(int *, int *) = dlsym(RTLD_DEFAULT, "nvrtcVersion"),
			(*compile)() = dlsym(dlopen(NULL, RTLD_NOW), "nvrtcCompileProgram");
		printf("%d %d %d %d\n", version(&a, &b), a, b, compile(0, 0, 0));
		printf("%d %d\n", nvrtcVersion(&a, &b), nvrtcCompileProgram(0, 0, 0));
		printf("%s\n", dlsym(RTLD_DEFAULT, "nvrtcCreateProgram") ? "one" : "none");
	}
	EOC
	differential --cold host --warm host -- "$ROOT/own"
}

@test "nvrtc dlsym: more builds at once than entry points; closed builds give theirs back" {
	built fake.so -shared -fPIC -Wl,-soname,libnvrtc.so.13 <<-'EOC'
	int nvrtcCreateProgram(void **p, const char *source, const char *name, int n, void *headers,
	                       void *names)
	{
		*p = &p;
		return n;
	}
	int nvrtcDestroyProgram(void **p) { *p = 0; return 0; }
	EOC
	built many -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <string.h>
	#include <unistd.h>
	enum { COPIES = 60 };
	static int ours(void *at)
	{
		Dl_info info = { 0 };
		return dladdr(at, &info) && strstr(info.dli_fname, "libreprise") != NULL;
	}
	int main(int argc, char **argv)
	{
		int served = 0, again = 0, right = 0;
		void *h[COPIES];
		char name[4096];
		for (int round = 0; round < 3; round++) {
			for (int i = 0; i < COPIES; i++) {
				snprintf(name, sizeof name, "%s/copy%d.so", argv[1], i);
				h[i] = dlopen(name, RTLD_NOW | RTLD_LOCAL);
				if (!h[i]) { puts(dlerror()); return 1; }
				int (*create)(void **, const char *, const char *, int, void *,
				              void *) = dlsym(h[i], "nvrtcCreateProgram");
				int (*destroy)(void **) = dlsym(h[i], "nvrtcDestroyProgram");
				void *p = NULL;
				*(round ? &again : &served) += ours(create);
				right += ours(create) == ours(destroy) && create(&p, "s", NULL, i,
					NULL, NULL) == i && p && destroy(&p) == 0 && !p;
			}
			for (int i = 0; i < COPIES; i++)
				dlclose(h[i]);
		}
		printf("%d\n", right);
		fprintf(stderr, "%d %d\n", served, again);
		return 0;
	}
	EOC
	local i
	for ((i = 0; i < 60; i++)); do cp "$ROOT/fake.so" "$ROOT/copy$i.so"; done
	[ "$("$ROOT/many" "$ROOT" 2>"$ROOT/counts")" = 180 ]
	[ "$(<"$ROOT/counts")" = "0 0" ]
	[ "$(under "$ROOT/many" "$ROOT" 2>"$ROOT/counts")" = 180 ]
	# 22 functions each, of 1,024.
	[ "$(<"$ROOT/counts")" = "46 92" ] || { cat "$ROOT/counts"; false; }
}
