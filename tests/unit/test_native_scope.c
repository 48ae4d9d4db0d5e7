/* tests/unit/test_native_scope.c - files of the test's own stand for Triton's and the driver's. */
#include "units/scope/scope.h"

#include <dlfcn.h>
#include <unistd.h>

#include "tests/unit/scratch.h"

#define ENV(...) ((char *[]){__VA_ARGS__, NULL})
#define PATHS "PATH=/bin:/usr/bin"
static char libcuda_path[600];

static void run(const char *command)
{
	cr_assert_eq(system(command), 0, "%s", command);
}

static void load_triton(void)
{
	char command[2048];

	scratch_make();
	snprintf(libcuda_path, sizeof libcuda_path, "TRITON_LIBCUDA_PATH=%s/cuda", scratch_dir);
	snprintf(command, sizeof command,
	         "cd %s && mkdir -p triton/_C cuda lib bin && echo 3.9.0 >triton/__init__.py && "
	         "echo one >cuda/libcuda.so.1 && echo 'int unused;' | "
	         "cc -shared -fPIC -o triton/_C/libtriton.so -x c -", scratch_dir);
	run(command);
}

static void dlopen_triton(void)
{
	cr_assert(dlopen(scratch("triton/_C/libtriton.so"), RTLD_NOW), "%s", dlerror());
}

/* NULL: nothing is shared. The memo of digests is in scratch_dir. */
static const char *native(char *const envp[], struct arena *a, const char **why)
{
	struct buf b = BUF_INIT(a);

	if (native_scope(&b, envp, scratch_dir, a, why) < 0) {
		cr_assert(*why && **why);
		return NULL;
	}
	buf_u8(&b, 0);
	cr_assert_not(b.failed);
	return (const char *)b.data;
}

static const char *text(char *const envp[], struct arena *a)
{
	const char *why = NULL, *t = native(envp, a, &why);

	cr_assert_not_null(t, "%s", why);
	return t;
}

Test(native_scope, no_triton_no_scope, .init = load_triton, .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;
	const char *why = NULL;

	cr_assert_null(native(ENV(PATHS), &a, &why));
	cr_expect_str_eq(why, "Triton is not loaded");
	dlopen_triton();
	unlink(scratch("triton/__init__.py"));
	cr_assert_null(native(ENV(PATHS), &a, &why));
	cr_expect_str_eq(why, "its Triton cannot be read");
	/* A loaded file that another has replaced. */
	scratch_write("triton/__init__.py", "");
	cr_assert_not_null(native(ENV(PATHS), &a, &why));
	arena_free(&a);
}

Test(native_scope, a_library_that_was_replaced_is_not_the_loaded_one, .init = load_triton,
     .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;
	const char *why = NULL;

	dlopen_triton();
	scratch_write("other", "another build");
	cr_assert_eq(rename(scratch("other"), scratch("triton/_C/libtriton.so")), 0);
	cr_assert_null(native(ENV(PATHS), &a, &why));
	arena_free(&a);
}

/* The words in their order, and each of 32 digits. */
Test(native_scope, words, .init = load_triton, .fini = scratch_remove)
{
	static const char *const words[] = {" libc=", " python=", " triton=", " compiler=",
	                                    " libcuda="};
	struct arena a = ARENA_INIT;
	const char *t, *p, *whole, *why = NULL;
	struct settings s;

	dlopen_triton();
	p = t = text(ENV(PATHS, libcuda_path), &a);
	cr_assert_eq(strncmp(t, "machine=", 8), 0, "%s", t);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		p = strstr(p, words[i]);
		cr_assert_not_null(p, "%s", t);
		p += strlen(words[i]);
		cr_assert_eq(strspn(p, "0123456789abcdef"), 32, "%s", t);
	}
	cr_assert_eq(strlen(p), 32);
	/* What was read once, or is in the memo, is the same again; a child made by fork has the
	 * same scope, and a process without a memo. */
	cr_assert_str_eq(text(ENV(PATHS, libcuda_path), &a), t);
	settings_defaults(&s);
	whole = unit_scope(UNIT_TRITON_NATIVE, &s, ENV(PATHS, libcuda_path), 1, NULL, &a, &why);
	cr_assert_not_null(whole, "%s", why);
	cr_expect_eq(strncmp(whole, "isa=", 4), 0, "%s", whole);
	cr_expect_str_eq(whole + 4 + 32 + 1, t);
	arena_free(&a);
}

Test(native_scope, libcuda, .init = load_triton, .fini = scratch_remove)
{
	char search[1200], other[600];
	struct arena a = ARENA_INIT;
	const char *t;

	dlopen_triton();
	t = text(ENV(PATHS, libcuda_path), &a);
	scratch_write("cuda/libcuda.so.1", "two");
	cr_expect_str_neq(text(ENV(PATHS, libcuda_path), &a), t, "another content");
	scratch_write("cuda/libcuda.so.1", "one\n");
	cr_expect_str_eq(text(ENV(PATHS, libcuda_path), &a), t);
	scratch_write("cuda/libcuda.so", "one\n");
	cr_expect_str_neq(text(ENV(PATHS, libcuda_path), &a), t, "Triton 3.5 links this one");
	unlink(scratch("cuda/libcuda.so"));
	/* The directory's name does not count. */
	scratch_write("lib/libcuda.so.1", "one\n");
	snprintf(other, sizeof other, "TRITON_LIBCUDA_PATH=%s/lib", scratch_dir);
	cr_expect_str_eq(text(ENV(PATHS, other), &a), t);
	snprintf(other, sizeof other, "TRITON_LIBCUDA_PATH=%s/none", scratch_dir);
	cr_expect_str_eq(strstr(text(ENV(PATHS, other), &a), "libcuda="), "libcuda=none");
	if (strstr(text(ENV(PATHS), &a), "libcuda=none")) {
		snprintf(search, sizeof search, "LD_LIBRARY_PATH=%s/bin:%s/cuda", scratch_dir,
		         scratch_dir);
		cr_expect_null(strstr(text(ENV(PATHS, search), &a), "libcuda=none"));
	}
	arena_free(&a);
}

#define STARTS(program) "#!/bin/sh\nexec " program " \"$@\"\n"

static void refuses(char *const envp[], const char *what)
{
	struct arena a = ARENA_INIT;
	const char *why = NULL;

	cr_expect_null(native(envp, &a, &why), "%s", what);
	arena_free(&a);
}

Test(native_scope, compiler, .init = load_triton, .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;
	char path[600], cc[600];
	const char *t, *other;

	dlopen_triton();
	snprintf(path, sizeof path, "PATH=%s/bin:/bin:/usr/bin", scratch_dir);
	t = text(ENV(path), &a);
	scratch_write("bin/gcc", STARTS("cc"));
	cr_expect_str_eq(text(ENV(path), &a), t, "it cannot be run");
	chmod(scratch("bin/gcc"), 0755);
	other = text(ENV(path), &a);
	cr_expect_str_neq(other, t);
	scratch_write("bin/gcc", STARTS("cc -O2"));
	cr_expect_str_neq(text(ENV(path), &a), other, "another content");
	scratch_write("bin/gcc", STARTS("cc"));
	cr_expect_str_eq(text(ENV(path), &a), other);
	rename(scratch("bin/gcc"), scratch("bin/my-cc"));
	cr_expect_str_eq(text(ENV(path), &a), t);
	cr_expect_str_neq(text(ENV(path, "CC=my-cc"), &a), t);
	snprintf(cc, sizeof cc, "CC=%s/bin/my-cc", scratch_dir);
	cr_expect_str_eq(text(ENV(path, cc), &a), text(ENV(path, "CC=my-cc"), &a));
	/* ccache goes by its name. */
	cr_assert_eq(symlink("my-cc", scratch("bin/other-cc")), 0);
	cr_expect_str_neq(text(ENV(path, "CC=other-cc"), &a), text(ENV(path, cc), &a));
	cr_expect_str_eq(text(ENV(path, "CC=gcc"), &a), t);
	cr_expect_str_eq(text(ENV(path, "HOME=/x"), &a), t);
	arena_free(&a);
}

/* What a compiler or a script starts in its turn. */
Test(native_scope, programs_behind_a_compiler, .init = load_triton, .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;
	char path[600];
	const char *t;

	dlopen_triton();
	snprintf(path, sizeof path, "PATH=%s/bin:%s/lib:/bin:/usr/bin", scratch_dir, scratch_dir);
	scratch_write("bin/my-cc", STARTS("next"));
	scratch_write("lib/next", STARTS("cc"));
	chmod(scratch("bin/my-cc"), 0755);
	refuses(ENV(path, "CC=my-cc"), "the next program is not there");
	chmod(scratch("lib/next"), 0755);
	t = text(ENV(path, "CC=my-cc"), &a);
	scratch_write("lib/next", STARTS("cc -O2"));
	cr_expect_str_neq(text(ENV(path, "CC=my-cc"), &a), t);
	refuses(ENV(path, "CC=my-cc", "BASH_ENV=/x"), "bash reads it");
	scratch_write("lib/next", "#!/bin/sh\nexec cc $MORE \"$@\"\n");
	refuses(ENV(path, "CC=my-cc"), "a variable");
	scratch_write("lib/next", STARTS("my-cc"));
	refuses(ENV(path, "CC=my-cc"), "a circle");
	/* The second of a name in PATH, and the linker. */
	scratch_write("bin/my-cc", "ELF");
	t = text(ENV(path, "CC=my-cc"), &a);
	rename(scratch("lib/next"), scratch("lib/my-cc"));
	scratch_write("lib/my-cc", "another ELF");
	cr_expect_str_neq(text(ENV(path, "CC=my-cc"), &a), t);
	unlink(scratch("lib/my-cc"));
	scratch_write("bin/ld", "linker");
	cr_expect_str_eq(text(ENV(path, "CC=my-cc"), &a), t, "it cannot be run");
	chmod(scratch("bin/ld"), 0755);
	cr_expect_str_neq(text(ENV(path, "CC=my-cc"), &a), t);
	arena_free(&a);
}

Test(native_scope, variables_of_compilers, .init = load_triton, .fini = scratch_remove)
{
	static char *const refused[] = {"CPATH=/x", "CPATH=", "C_INCLUDE_PATH=/x",
	                                "COMPILER_PATH=/x", "GCC_EXEC_PREFIX=/x",
	                                "TRITON_CUDACRT_PATH=/x", "TRITON_CUDART_PATH=/x",
	                                "SUNPRO_DEPENDENCIES=/x x", "CCACHE_PREFIX=x"};
	struct arena a = ARENA_INIT;
	char list[600];
	const char *t;

	dlopen_triton();
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		refuses(ENV(PATHS, refused[i]), refused[i]);
	snprintf(list, sizeof list, "LIBRARY_PATH=%s/none:%s/lib", scratch_dir, scratch_dir);
	t = text(ENV(PATHS, list), &a);
	cr_expect_str_neq(text(ENV(PATHS), &a), t);
	scratch_write("lib/other.so", "one");
	cr_expect_str_eq(text(ENV(PATHS, list), &a), t, "nothing links it");
	scratch_write("lib/libgcc.a", "one");
	cr_expect_str_neq(text(ENV(PATHS, list), &a), t);
	arena_free(&a);
}
