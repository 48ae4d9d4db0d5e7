#!/usr/bin/env bats
# Objects that are linked against NVRTC: programs, and libraries that hand out its addresses.

setup() {
	load lib
	load nvrtc
	load dlsym
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

# bats test_tags=check
@test "nvrtc linked: a linked program" {
	kernel k | job j -arch=sm_90
	linked_run run "$NVRTC"
	differential -- "$ROOT/run" - o j
	differential --cold hit -- "$RUN" "$NVRTC" o j
	differential --cold hit -- "$ROOT/run" -f - o j
	differential --cold hit --tools 8 -- "$ROOT/run" -t 4 -r 8 - o j
	differential --cold host --warm host --env REPRISE_INPROCESS=0 -- "$ROOT/run" - o j
	linked_run run_old "$NVRTC_OLD"
	differential -- "$ROOT/run_old" - o j
	differential --cold hit -- "$RUN" "$NVRTC_OLD" o j
}

# Like libcaffe2_nvrtc.so: a library that links to NVRTC and hands out addresses. A program that
# knows none of these names opens it with RTLD_LOCAL.
table() { # NAME LIB
	built "$1" -shared -fPIC "$2" -Wl,-rpath,"${2%/*}" <<-'EOC'
	extern int nvrtcVersion(int *, int *), nvrtcCreateProgram(), nvrtcCompileProgram(),
		nvrtcGetCUBINSize(),
		nvrtcGetCUBIN(), nvrtcDestroyProgram(), nvrtcGetProgramLogSize();
	static void *at[] = { nvrtcVersion, nvrtcCreateProgram, nvrtcCompileProgram,
		nvrtcGetCUBINSize, nvrtcGetCUBIN, nvrtcDestroyProgram, nvrtcGetProgramLogSize };
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
			int major = 0, minor = 0,
				r0 = ((int (*)(int *, int *))at[0])(&major, &minor);
			int r1 = ((int (*)(void **, const char *, const char *, int, void *,
			                   void *))at[1])(&p,
				"extern \"C\" __global__ void k(int *o) { *o = 5; }", NULL, 0, NULL,
				NULL);
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
			printf("%d.%d %d %d %d %d %zu %d %zu %d %d %p\n", major, minor, r0, r1, r2,
			       r3, size, r4, log, r5, r6, p);
		}
	}
	EOC
}

@test "nvrtc linked: addresses handed out by a library that is linked" {
	table table.so "$NVRTC"
	table_program
	differential -- "$ROOT/by_table" "$ROOT/table.so"
}

# bats test_tags=check
@test "nvrtc linked: two such libraries, of two versions" {
	table new.so "$NVRTC"
	table old.so "$NVRTC_OLD"
	table_program
	differential --tools 2 -- "$ROOT/by_table" "$ROOT/new.so" "$ROOT/old.so"
	differential --tools 2 --cold hit -- "$ROOT/by_table" "$ROOT/old.so" "$ROOT/new.so"
	differential --tools 3 --cold hit -- \
		"$ROOT/by_table" "$ROOT/old.so" "$ROOT/new.so" "$ROOT/old.so"
}

# bats test_tags=check
@test "nvrtc linked: a linked library that needs an unknown name" {
	# Reprise does not know the library's programs. While the library is loaded, no result of
	# that build is replayed, and all results are right.
	table_program
	built odd.so -shared -fPIC "$NVRTC" -Wl,-rpath,"${NVRTC%/*}" <<-'EOC'
	extern int nvrtcVersion(int *, int *), nvrtcCreateProgram(), nvrtcCompileProgram(),
		nvrtcGetCUBINSize(),
		nvrtcGetCUBIN(), nvrtcDestroyProgram(), nvrtcGetProgramLogSize(), __nvrtcCPEx();
	static void *at[] = { nvrtcVersion, nvrtcCreateProgram, nvrtcCompileProgram,
		nvrtcGetCUBINSize, nvrtcGetCUBIN,
		nvrtcDestroyProgram, nvrtcGetProgramLogSize, __nvrtcCPEx };
	void **table(void) { return at; }
	EOC
	table old.so "$NVRTC_OLD"
	differential --cold bypass:library -- "$ROOT/by_table" "$ROOT/odd.so"
	run reprise explain
	[[ $output == *'an object of the process uses unknown functions'* ]] || fail "$output"
	differential --cold bypass:library -- "$ROOT/by_table" "$ROOT/odd.so" "$ROOT/old.so"
	[ "$(stat_of nvrtc_hits)" = 1 ]
}

@test "nvrtc linked: more versions and libraries than there are slots" {
	kernel k | job j -arch=sm_90
	linked_run run "$NVRTC"
	built many -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>
	int main(int argc, char **argv) /* LIBRARY OF nvJitLink, TABLE */
	{
		static const char *const of[] = { "12_0", "12_1", "13_0", "13_1", "13_2", "13_3",
		                                 "13_4", "13_5" };
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
		void *p, **(*table)(void) = dlsym(dlopen(argv[2], RTLD_NOW | RTLD_LOCAL), "table"),
			**at = table();
		size_t size = 0;
		int r = ((int (*)(void **, const char *, const char *, int, void *,
		                  void *))at[1])(&p,
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

@test "nvrtc linked: a linked version and one by dlopen" {
	# The loader binds one library. The same process opens another library by name.
	built both "$NVRTC" -Wl,-rpath,"${NVRTC%/*}" -ldl <<-'EOC'
	#include <dlfcn.h>
	#include <stdio.h>
	extern int nvrtcVersion(int *, int *), nvrtcCreateProgram(), nvrtcCompileProgram(),
		nvrtcGetCUBINSize(), nvrtcDestroyProgram();
	static void one(int (*version)(), int (*create)(), int (*compile)(), int (*size)(),
	                int (*destroy)())
	{
		const char *options[] = { "-arch=sm_90" };
		int major, minor, r;
		void *p;
		size_t n = 0;
		version(&major, &minor);
		create(&p, "extern \"C\" __global__ void k(int *o) { *o = 5; }", NULL, 0, NULL,
		       NULL);
		r = compile(p, 1, options);
		size(p, &n);
		printf("%d.%d %d %zu %d\n", major, minor, r, n, destroy(&p));
	}
	int main(int argc, char **argv)
	{
		void *h = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		for (int i = 0; i < 2; i++) {
			one(nvrtcVersion, nvrtcCreateProgram, nvrtcCompileProgram,
			    nvrtcGetCUBINSize, nvrtcDestroyProgram);
			one(dlsym(h, "nvrtcVersion"), dlsym(h, "nvrtcCreateProgram"),
			    dlsym(h, "nvrtcCompileProgram"),
			    dlsym(h, "nvrtcGetCUBINSize"), dlsym(h, "nvrtcDestroyProgram"));
		}
	}
	EOC
	differential --tools 4 --cold any --warm hit -- "$ROOT/both" "$NVRTC_OLD"
}

@test "nvrtc linked: weak references without a library" {
	built weak <<-'EOC'
	#include <stdio.h>
	extern int nvrtcVersion(int *, int *) __attribute__((weak));
	extern int nvJitLinkComplete(void *) __attribute__((weak));
	int main(void)
	{
		int a = 7, b = 8;
		/* Ours where we are preloaded: an error, and nothing written. */
		int r = nvrtcVersion ? nvrtcVersion(&a, &b) : 1,
			s = nvJitLinkComplete ? nvJitLinkComplete(0) : 1;
		printf("%s %s %d %d\n", r ? "no" : "yes", s ? "no" : "yes", a, b);
	}
	EOC
	differential --cold host --warm host -- "$ROOT/weak"
}
