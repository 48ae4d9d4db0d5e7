#!/usr/bin/env bats
# dlsym of the aarch64 build, under qemu. Programs get the same answers with and without the object.

setup() {
	load lib
	load dlsym
	case_setup
	need qemu-aarch64
	need aarch64-linux-gnu-gcc
	BUILT_CC=aarch64-linux-gnu-gcc
	OBJECT=$TOP/build/aarch64/libreprise.so
	[ -e "$OBJECT" ] || skip "no build for aarch64: make cross-aarch64"
}
teardown() { case_teardown; }

# there PRELOAD PROGRAM ARGS...: output of the program with these objects preloaded, in the order of
# PRELOAD.
there() {
	local preload=$1
	shift
	REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME qemu-aarch64 \
		-L /usr/aarch64-linux-gnu \
		${preload:+-E "LD_PRELOAD=$preload"} "$@"
}

# alike PRELOAD-BESIDE PROGRAM ARGS...: with the object first, last, and without.
alike() {
	local beside=$1
	shift
	there "$beside" "$@" >"$ROOT/plain" || return 1
	[ -s "$ROOT/plain" ] || fail "it says nothing"
	there "$OBJECT${beside:+ $beside}" "$@" >"$ROOT/first" ||
		fail "status $? with the object first"
	diff "$ROOT/plain" "$ROOT/first" || fail "with the object first"
	there "${beside:+$beside }$OBJECT" "$@" >"$ROOT/last" ||
		fail "status $? with the object last"
	diff "$ROOT/plain" "$ROOT/last" || fail "with the object last"
}

@test "dlsym aarch64: the object is loaded, and its dlsym comes first" {
	built who -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <string.h>
	int main(void)
	{
		Dl_info info;
		void *p = dlsym(RTLD_DEFAULT, "dlsym");
		puts(p && dladdr(p, &info) ? strrchr(info.dli_fname, '/') + 1 : "none");
		return 0;
	}
	EOC
	[ "$(there "$OBJECT" "$ROOT/who")" = libreprise.so ]
	[ "$(there "" "$ROOT/who")" = libc.so.6 ]
}

@test "dlsym aarch64: by default, next, handle, of a program and of a library" {
	lookups
	alike "" "$ROOT/looks" "$ROOT/looks.so"
}

@test "dlsym aarch64: another object that wraps dlsym" {
	local kind
	lookups
	for kind in 'wrapper other -O2' 'wrapper other -O0' 'wrapper_next other -O2'; do
		$kind
		alike "$ROOT/other.so" "$ROOT/looks" "$ROOT/looks.so"
	done
}

@test "dlsym aarch64: a preload that finds the next puts" {
	puts_preload
	alike "$ROOT/puts.so" "$ROOT/say"
	grep -q mine "$ROOT/plain"
}

@test "dlsym aarch64: versions of a name" {
	built version -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	int main(void)
	{
		static const char *of[] = { "GLIBC_2.17", "GLIBC_2.34", "GLIBC_9.9" };
		for (int i = 0; i < 3; i++) {
			void *p = dlvsym(RTLD_DEFAULT, "puts", of[i]),
				*q = dlvsym(RTLD_NEXT, "dlopen", of[i]);
			printf("%s %d %d %s\n", of[i], p != NULL, q != NULL,
			       p && q ? "" : dlerror() ? "said" : "silent");
		}
		printf("%d\n",
		       dlvsym(RTLD_DEFAULT, "nvrtcCompileProgram", "libnvrtc.so.13") != NULL);
		return 0;
	}
	EOC
	alike "" "$ROOT/version"
}

@test "dlsym aarch64: entry points hand arguments and results on" {
	built libnvrtc.so.13 -shared -fPIC -Wl,-soname,libnvrtc.so.13 <<-'EOC'
	#include <stdio.h>
	int nvrtcCreateProgram(void **p, const char *source, const char *name, int n,
	                       const char **headers, const char **names)
	{
		printf("create %s %s %d %p %p\n", source, name, n, (void *)headers, (void *)names);
		*p = (void *)0x1234;
		return 3;
	}
	int nvrtcCompileProgram(void *p, int n, const char **options) {
		printf("compile %p %d %p\n", p, n, (void *)options);
		return -7;
	}
	int nvrtcGetPTXSize(void *p, size_t *n) { *n = (size_t)p << 40; return 0; }
	int nvrtcDestroyProgram(void **p) { printf("destroy %p\n", *p); *p = NULL; return 5; }
	EOC
	built calls -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	int main(int argc, char **argv)
	{
		void *h = dlopen(argv[1], RTLD_NOW), *p = NULL,
			*create = dlsym(h, "nvrtcCreateProgram");
		size_t size = 0;
		Dl_info info = { 0 };
		if (!h) { puts(dlerror()); return 1; }
		dladdr(create, &info);
		fprintf(stderr, "%s\n", info.dli_fname);
		printf("%d ", ((int (*)(void **, const char *, const char *, int, void *,
		                        void *))create)(&p, "s", "n", -2, (void *)5, (void *)6));
		printf("%p\n", p);
		printf("%d\n", ((int (*)(void *, int, void *))dlsym(h, "nvrtcCompileProgram"))(p,
			-1, (void *)-3L));
		printf("%d\n", ((int (*)(void *, size_t *))dlsym(h, "nvrtcGetPTXSize"))(p, &size));
		printf("%zu\n", size);
		printf("%d\n", ((int (*)(void **))dlsym(h, "nvrtcDestroyProgram"))(&p));
		return p != NULL;
	}
	EOC
	alike '' "$ROOT/calls" "$ROOT/libnvrtc.so.13"
	there "$OBJECT" "$ROOT/calls" "$ROOT/libnvrtc.so.13" 2>&1 >/dev/null | grep -q libreprise.so
}
