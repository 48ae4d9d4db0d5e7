/* tests/unit/test_nvcc_scope.c - files of the test's own stand for TileLang's and the toolkit's. */
#include "units/scope/scope.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include "tests/unit/scratch.h"

enum { VARIABLES = 8, SHARED = 4096 };
#define AT_START 3 /* these are in the block, too: PATH, CUDA_HOME, CXX */

static char text[VARIABLES][700];
static char *shared; /* the scope, or "!" and why there is none */

static void sets(int i, const char *name, const char *at)
{
	snprintf(text[i], sizeof text[i], at[0] == '/' ? "%s=%s%s" : "%s=%s", name,
	         at[0] == '/' ? scratch_dir : at, at);
}

static void make(void)
{
	char command[2048];

	scratch_make();
	snprintf(command, sizeof command,
	         "cd %s && mkdir -p cuda/bin cuda/nvvm/bin cuda/include bin tilelang/lib "
	         "tilelang/3rdparty/cutlass/include/cutlass tilelang/src/tl_templates/cuda/sub && "
	         "cd cuda && echo nvcc >bin/nvcc && echo profile >bin/nvcc.profile && "
	         "echo ptxas >bin/ptxas && echo cicc >nvvm/bin/cicc && chmod +x bin/nvcc && "
	         "echo >include/cuda_runtime.h && "
	         "cd ../tilelang && echo one >src/tl_templates/cuda/a.h && "
	         "echo two >src/tl_templates/cuda/sub/b.h && "
	         "echo 3 >3rdparty/cutlass/include/cutlass/version.h && "
	         "echo 'int unused;' | cc -shared -fPIC -o lib/libtilelang.so -x c -", scratch_dir);
	cr_assert_eq(system(command), 0, "%s", command);
	cr_assert(dlopen(scratch("tilelang/lib/libtilelang.so"), RTLD_NOW), "%s", dlerror());
	shared = mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(shared, MAP_FAILED);
	sets(0, "PATH", "");
	strcpy(text[0], "PATH=/bin:/usr/bin");
	sets(1, "CUDA_HOME", "/cuda");
	sets(3, "TL_TEMPLATE_PATH", "/tilelang/3rdparty/../src");
	sets(4, "TL_CUTLASS_PATH", "/tilelang/3rdparty/cutlass/include");
}

/* In a child: what a process found stays. The block is text[0 .. 2], or then. */
static const char *scope_after(const char *then)
{
	char block[3 * 700], *envp[VARIABLES + 1];
	size_t m = 0, n = 0;
	int status;
	pid_t pid;

	for (int i = 0; i < VARIABLES; i++) {
		if (!*text[i])
			continue;
		envp[n++] = text[i];
		if (i < AT_START) {
			strcpy(block + m, text[i]);
			m += strlen(text[i]) + 1;
		}
	}
	envp[n] = NULL;
	if (then) {
		strcpy(block, then);
		m = strlen(then) + 1;
	}
	pid = fork();
	if (pid == 0) {
		struct arena a = ARENA_INIT;
		struct buf b = BUF_INIT(&a);
		const char *why = "";

		if (nvcc_scope(&b, NVCC_TILELANG, envp, block, m, NULL, &a, &why) < 0)
			snprintf(shared, SHARED, "!%s", why);
		else
			snprintf(shared, SHARED, "%.*s", (int)b.len, (const char *)b.data);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	return strdup(shared);
}

static const char *scope(void)
{
	return scope_after(NULL);
}

static void is_refused(const char *got, const char *why)
{
	cr_expect_eq(got[0], '!', "%s: %s", why, got);
	cr_expect_not_null(strstr(got, why), "%s: %s", why, got);
}

Test(nvcc_scope, words_in_their_order, .init = make, .fini = scratch_remove)
{
	static const char *const words[] = {" libc=", " nvcc=", " compiler=", " flags="};
	const char *p, *t;

	strcpy(text[5], "NVCC_APPEND_FLAGS=-use_fast_math");
	p = t = scope();
	cr_assert_eq(strncmp(t, "machine=", 8), 0, "%s", t);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		p = strstr(p, words[i]);
		cr_assert_not_null(p, "%s", t);
		p += strlen(words[i]);
		cr_assert_eq(strspn(p, "0123456789abcdef"), 32, "%s", t);
	}
	cr_expect_eq(strlen(p), 32);
	cr_expect_str_eq(scope(), t);
}

Test(nvcc_scope, each_file_counts, .init = make, .fini = scratch_remove)
{
	static const char *const files[] = {
		"cuda/bin/nvcc", "cuda/bin/nvcc.profile", "cuda/bin/ptxas", "cuda/nvvm/bin/cicc",
		"tilelang/src/tl_templates/cuda/a.h", "tilelang/src/tl_templates/cuda/sub/b.h",
		"tilelang/3rdparty/cutlass/include/cutlass/version.h",
	};
	const char *first = scope(), *last = first;

	cr_assert_neq(first[0], '!', "%s", first);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *now;

		scratch_write(files[i], "changed");
		now = scope();
		cr_expect_neq(now[0], '!', "%s: %s", files[i], now);
		cr_expect_str_neq(now, last, "%s", files[i]);
		last = now;
	}
	scratch_write("tilelang/src/tl_templates/cuda/sub/new.h", "");
	cr_expect_str_neq(scope(), last, "a new header");
}

Test(nvcc_scope, nvcc_as_tilelang_finds_it, .init = make, .fini = scratch_remove)
{
	const char *first = scope();

	snprintf(text[1], sizeof text[1], "CUDA_PATH=%s/cuda", scratch_dir);
	cr_expect_str_eq(scope(), first);
	text[1][0] = 0;
	snprintf(text[0], sizeof text[0], "PATH=%s/cuda/bin:/bin:/usr/bin", scratch_dir);
	cr_expect_str_eq(scope(), first);
	/* A directory with links, and no CUDA around it. */
	cr_assert_eq(symlink("../cuda/bin/nvcc", scratch("bin/nvcc")), 0);
	snprintf(text[0], sizeof text[0], "PATH=%s/bin:/bin:/usr/bin", scratch_dir);
	cr_expect_str_eq(scope(), first);
	/* A script that starts it, in a home of its own. */
	unlink(scratch("bin/nvcc"));
	scratch_write("bin/nvcc", "");
	chmod(scratch("bin/nvcc"), 0755);
	snprintf(text[2], sizeof text[2], "#!/bin/sh\nexec %s/cuda/bin/nvcc \"$@\"\n", scratch_dir);
	scratch_write("bin/nvcc", text[2]);
	text[2][0] = 0;
	cr_expect_neq(scope()[0], '!', "%s", scope());
	cr_expect_str_neq(scope(), first);
	scratch_write("bin/nvcc", "#!/bin/sh\nexec /x/nvcc --use_fast_math \"$@\"\n");
	is_refused(scope(), "which nvcc");
	strcpy(text[0], "PATH=/none");
	is_refused(scope(), "which nvcc");
	sets(1, "CUDA_HOME", "/none");
	is_refused(scope(), "which nvcc");
	sets(1, "CUDA_HOME", "/cuda");
	unlink(scratch("cuda/nvvm/bin/cicc"));
	is_refused(scope(), "what nvcc starts");
}

Test(nvcc_scope, what_changed_since_the_start, .init = make, .fini = scratch_remove)
{
	char then[700];

	is_refused(scope_after("PATH=/bin:/usr/bin"), "CUDA_HOME changed");
	is_refused(scope_after(text[1]), "PATH changed");
	strcpy(then, text[1]);
	text[1][0] = 0;
	is_refused(scope_after(then), "CUDA_HOME changed");
	strcpy(text[1], then);
	strcpy(text[5], "CXX=clang++");
	is_refused(scope(), "CXX changed");
}

Test(nvcc_scope, variables, .init = make, .fini = scratch_remove)
{
	static const char *const bad[] = {
		"NVCC_APPEND_FLAGS=-I/x", "NVCC_PREPEND_FLAGS=-include x.h",
		"NVCC_APPEND_FLAGS=-optf f", "NVCC_CCBIN=/x/g++", "CPLUS_INCLUDE_PATH=/x",
		"NVCC_APPEND_FLAGS=@f", "CPATH=/x", "PTXAS_FLAGS=--options-file f",
		"INCLUDES=-I/x", "NVCC_CCBIN=clang++",
	};
	const char *first = scope(), *other;

	strcpy(text[5], "NVCC_APPEND_FLAGS=-use_fast_math");
	other = scope();
	cr_expect_str_neq(other, first);
	strcpy(text[5], "NVCC_PREPEND_FLAGS=-use_fast_math");
	cr_expect_str_neq(scope(), other);
	strcpy(text[5], "INCLUDES=-DX");
	cr_expect_str_neq(scope(), first);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		strcpy(text[5], bad[i]);
		is_refused(scope(), "not in the scope");
	}
	text[5][0] = 0;
	sets(3, "TL_TEMPLATE_PATH", "/bin");
	is_refused(scope(), "TileLang's headers");
	text[3][0] = 0;
	is_refused(scope(), "TileLang's headers");
}
