#!/usr/bin/env bats
# dlsym of the aarch64 build, under qemu: what programs are answered is what they are answered without it.

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

# there PRELOAD PROGRAM ARGS...: what it says, in the order of PRELOAD.
there() {
	local preload=$1
	shift
	REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME qemu-aarch64 -L /usr/aarch64-linux-gnu \
		${preload:+-E "LD_PRELOAD=$preload"} "$@"
}

# alike PRELOAD-BESIDE PROGRAM ARGS...: with the object first, last, and without.
alike() {
	local beside=$1
	shift
	there "$beside" "$@" >"$ROOT/plain" || return 1
	[ -s "$ROOT/plain" ] || fail "it says nothing"
	there "$OBJECT${beside:+ $beside}" "$@" >"$ROOT/first" || fail "status $? with the object first"
	diff "$ROOT/plain" "$ROOT/first" || fail "with the object first"
	there "${beside:+$beside }$OBJECT" "$@" >"$ROOT/last" || fail "status $? with the object last"
	diff "$ROOT/plain" "$ROOT/last" || fail "with the object last"
}

@test "dlsym aarch64: the object is loaded, and stands in front of dlsym" {
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
			void *p = dlvsym(RTLD_DEFAULT, "puts", of[i]), *q = dlvsym(RTLD_NEXT, "dlopen", of[i]);
			printf("%s %d %d %s\n", of[i], p != NULL, q != NULL, p && q ? "" : dlerror() ? "said" : "silent");
		}
		printf("%d\n", dlvsym(RTLD_DEFAULT, "nvrtcCompileProgram", "libnvrtc.so.13") != NULL);
		return 0;
	}
	EOC
	alike "" "$ROOT/version"
}
