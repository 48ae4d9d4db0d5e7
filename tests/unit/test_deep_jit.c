/* tests/unit/test_deep_jit.c - files of a kernel as deep_jit writes them, and the scope of a
 * process with a library of the test's own that stands for DeepGEMM's. */
#include "units/gather/gather.h"
#include "units/scope/scope.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include "tests/unit/scratch.h"

enum { VARIABLES = 4, SHARED = 4096 };

static char text[VARIABLES][700];
static char *shared; /* the scope, or "!" and why there is none */
static struct arena arena;

static void make(void)
{
	char command[2048];

	scratch_make();
	snprintf(command, sizeof command,
	         "cd %s && mkdir -p cuda/bin cuda/nvvm/bin package/include/deep_jit other && "
	         "mkdir package/include/own package/include/cute && cd cuda && "
	         "mkdir -p include targets/x86_64-linux/include/cuda/std/__cccl && "
	         "echo nvcc >bin/nvcc && echo profile >bin/nvcc.profile && "
	         "echo ptxas >bin/ptxas && echo cicc >nvvm/bin/cicc && chmod +x bin/nvcc && "
	         "cd ../package && "
	         "echo one >include/deep_jit/a.hpp && echo two >include/own/k.cuh && "
	         "echo three >include/cute/c.hpp && "
	         "echo 'int unused;' | cc -shared -fPIC -o _C.so -x c -", scratch_dir);
	cr_assert_eq(system(command), 0, "%s", command);
	cr_assert(dlopen(scratch("package/_C.so"), RTLD_NOW), "%s", dlerror());
	shared = mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(shared, MAP_FAILED);
	strcpy(text[0], "PATH=/bin:/usr/bin");
	snprintf(text[1], sizeof text[1], "CUDA_HOME=%s/cuda", scratch_dir);
}

/* In a child: what a process found stays. */
static const char *scope(void)
{
	char block[VARIABLES * 700], *envp[VARIABLES + 1];
	size_t m = 0, n = 0;
	int status;
	pid_t pid;

	for (int i = 0; i < VARIABLES; i++) {
		if (!*text[i])
			continue;
		envp[n++] = text[i];
		strcpy(block + m, text[i]);
		m += strlen(text[i]) + 1;
	}
	envp[n] = NULL;
	pid = fork();
	if (pid == 0) {
		struct arena a = ARENA_INIT;
		struct buf b = BUF_INIT(&a);
		const char *why = "";

		if (nvcc_scope(&b, NVCC_DEEP_JIT, envp, block, m, NULL, &a, &why) < 0)
			snprintf(shared, SHARED, "!%s", why);
		else
			snprintf(shared, SHARED, "%.*s", (int)b.len, (const char *)b.data);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	return strdup(shared);
}

static void is_refused(const char *got, const char *why)
{
	cr_expect_eq(got[0], '!', "%s: %s", why, got);
	cr_expect_not_null(strstr(got, why), "%s: %s", why, got);
}

Test(deep_jit, words_of_the_scope, .init = make, .fini = scratch_remove)
{
	static const char *const words[] = {" libc=", " library=", " nvcc=", " headers=",
	                                    " compiler=", " flags="};
	const char *p, *t;

	strcpy(text[3], "INCLUDES=-DX");
	p = t = scope();
	cr_assert_eq(strncmp(t, "machine=", 8), 0, "%s", t);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		p = strstr(p, words[i]);
		cr_assert_not_null(p, "%s%s", words[i], t);
		p += strlen(words[i]);
		cr_assert_eq(strspn(p, "0123456789abcdef"), 32, "%s", t);
	}
	cr_expect_str_eq(scope(), t);
}

Test(deep_jit, each_file_counts, .init = make, .fini = scratch_remove)
{
	static const char *const files[] = {
		"cuda/bin/nvcc", "cuda/bin/nvcc.profile", "cuda/bin/ptxas", "cuda/nvvm/bin/cicc",
		"cuda/include/cuda.h", "cuda/targets/x86_64-linux/include/cuda.h",
		"cuda/targets/x86_64-linux/include/cuda/std/__cccl/version.h",
		"package/include/own/k.cuh", "package/include/cute/c.hpp", "package/include/new.h",
	};
	const char *last = scope();

	cr_assert_neq(last[0], '!', "%s", last);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *now;

		scratch_write(files[i], "changed");
		now = scope();
		cr_expect_neq(now[0], '!', "%s: %s", files[i], now);
		cr_expect_str_neq(now, last, "%s", files[i]);
		last = now;
	}
	/* Behind a link, as of a developer's install. */
	cr_assert_eq(symlink("../../other", scratch("package/include/linked")), 0);
	last = scope();
	scratch_write("other/h.hpp", "one");
	cr_expect_str_neq(scope(), last);
	last = scope();
	scratch_write("other/h.hpp", "two");
	cr_expect_str_neq(scope(), last);
}

Test(deep_jit, nvcc_as_deep_jit_finds_it, .init = make, .fini = scratch_remove)
{
	const char *first = scope();

	snprintf(text[1], sizeof text[1], "CUDA_PATH=%s/cuda", scratch_dir);
	cr_expect_str_eq(scope(), first);
	text[1][0] = 0;
	snprintf(text[0], sizeof text[0], "PATH=%s/cuda/bin:/bin:/usr/bin", scratch_dir);
	cr_expect_str_eq(scope(), first);
	strcpy(text[1], "CUDA_HOME=cuda");
	is_refused(scope(), "which nvcc");
	strcpy(text[1], "CUDA_HOME=/none");
	is_refused(scope(), "which nvcc");
	snprintf(text[1], sizeof text[1], "CUDA_HOME=%s/cuda", scratch_dir);
	strcpy(text[3], "SOME_JIT_NVCC_COMPILER=/x/nvcc");
	is_refused(scope(), "names nvcc");
	strcpy(text[3], "SOME_JIT_NVCC_COMPILER=");
	cr_expect_str_eq(scope(), first);
	snprintf(text[1], sizeof text[1], "CUDA_HOME=%s/other/../cuda", scratch_dir);
	is_refused(scope(), "which nvcc");
	snprintf(text[1], sizeof text[1], "CUDA_HOME=%s/cuda", scratch_dir);
	strcpy(text[3], "NVCC_CCBIN=clang++");
	is_refused(scope(), "NVCC_CCBIN is set");
	text[3][0] = 0;
	strcpy(text[0], "PATH=/none");
	is_refused(scope(), "host compiler");
	strcpy(text[0], "PATH=/bin:/usr/bin");
	cr_assert_eq(system(strcat(strcpy(shared, "rm -r "), scratch("package/include/deep_jit"))),
	             0);
	is_refused(scope(), "deep_jit's headers");
}

Test(deep_jit, two_packages, .init = make, .fini = scratch_remove)
{
	char command[1024];
	const char *one = scope(), *two;

	snprintf(command, sizeof command, "cd %s && cp -r package second && cd second && "
	         "mv include/own include/its && "
	         "echo 'int second;' | cc -shared -fPIC -o _C.so -x c -", scratch_dir);
	cr_assert_eq(system(command), 0, "%s", command);
	cr_assert(dlopen(scratch("second/_C.so"), RTLD_NOW), "%s", dlerror());
	two = scope();
	cr_expect_neq(two[0], '!', "%s", two);
	cr_expect_str_neq(two, one);
	/* Two copies of one package. */
	cr_assert_eq(rename(scratch("second/include/its"), strdup(scratch("second/include/own"))),
	             0);
	is_refused(scope(), "headers of one name");
}

Test(deep_jit, variables_of_its_own, .init = make, .fini = scratch_remove)
{
	static const char *const off[] = {
		"DG_JIT_DUMP_PTX=1", "DJ_JIT_DUMP_SASS=true", "DG_JIT_DUMP_ASM=1", "DG_JIT_DEBUG=1",
		"DG_JIT_PRINT_COMPILER_COMMAND=1", "DG_JIT_PTXAS_VERBOSE=1",
		"DG_JIT_CACHE_DIR=/a:/b",
	};
	static const char *const none[] = {
		"DG_JIT_DUMP_PTX=0", "DG_JIT_DUMP_PTX=", "JIT_DEBUG=1", "DG_JIT_CACHE_DIR=/a",
		"DG_JIT_DEBUGGER=1",
	};
	const char *first = scope();

	for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
		strcpy(text[3], off[i]);
		is_refused(scope(), "a variable of its own");
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		strcpy(text[3], none[i]);
		cr_expect_str_eq(scope(), first, "%s", none[i]);
	}
}

/* --- what is kept --- */

static const char *of(const char *name, const char *bytes)
{
	return deep_jit_refusal(name, bytes, strlen(bytes));
}

Test(deep_jit, files_of_a_kernel)
{
	static const char *const bad[] = {
		"#include \"mine.h\"\n", "#include </x/mine.h>\n", "#include <own/../../m.h>\n",
		"# include <own/k.cuh>\n", "#include MINE\n", "#embed <x>\n",
		"asm(\".incbin \\\"x\\\"\");\n", "", "char a[] = __TIME__;\n",
		"char a[] = __DATE__;\n", "char a[] = __FILE__;\n", "#line 3 \"x\"\n",
		"#inc?" "?/\nlude <mine.h>\n", "?" "?=include <mine.h>\n",
	};

	cr_expect_null(of("kernel.cu", "#include <own/k.cuh>\nint k;"));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect_not_null(of("kernel.cu", bad[i]), "%s", bad[i]);
	cr_expect_null(of(".committed", ""));
	cr_expect_not_null(of(".committed", "x"));
	cr_expect_null(of("meta.json", "{\"command\":\"x\"}"));
	cr_expect_not_null(of("meta.json", "{\"command\":\"x\""));
	cr_expect_not_null(of("kernel.cubin", "\177ELF"));
	/* Its user asked for them, which the name does not hold. */
	cr_expect_not_null(of("kernel.ptx", ".version 8\n.target sm_90\n.address_size 64\n"));
	cr_expect_not_null(of("kernel.sass", "\t.headerflags\n"));
	cr_expect_not_null(of("other", "x"));
}

/* ctime of kernel.cu. */
static int64_t written = INT64_MAX;

/* Why a kernel of this scope is not carried, NULL: it is. %s in the options is the scratch. */
static const char *made(const char *scope, const char *source, const char *options,
                        const char *cubin, const char *more)
{
	static const char *const names[] = {"kernel.cu", "meta.json", "kernel.cubin", ".committed"};
	static struct parcel_file files[4];
	static char meta[4096], with[1024];
	struct parcel p = {.file = files, .files = 4};
	const char *bytes[] = {source, meta, cubin, ""};

	snprintf(with, sizeof with, options, scratch_dir, scratch_dir);
	snprintf(meta, sizeof meta, "{\"command\":\"%s/cuda/bin/nvcc /t/kernel.cu --cubin "
	         "--output-file /t/kernel.cubin%s\",\"post_hook\":%s}", scratch_dir, with, more);
	for (int i = 0; i < 4; i++)
		files[i] = (struct parcel_file){.name = names[i],
		                                .data = (const unsigned char *)bytes[i],
		                                .len = strlen(bytes[i])};
	return deep_jit_command_refusal(&p, scope, written, &arena);
}

Test(deep_jit, what_compiled_it, .init = make, .fini = scratch_remove)
{
	static const char source[] = "#include <own/k.cuh>\n#include <cuda_bf16.h>\n"
		"#include <cstdint>\n";
	static const char with[] = " -O3 --include-path %s/package/include";
	const char *s = scope(), *why;

	cr_assert_neq(s[0], '!', "%s", s);
	why = made(s, source, with, "c", "null");
	cr_expect_null(why, "%s", why);
	cr_expect_not_null(made(s, source, with, "c", "\"hook.py\""));
	cr_expect_not_null(made(s, "#include <mine.h>\n", with, "c", "null"));
	cr_expect_not_null(made(s, "#include <cuda_mine/m.h>\n", with, "c", "null"));
	cr_expect_not_null(made(s, "#include <cudamine.h>\n", with, "c", "null"));
	why = made(s, "#include <cuda/std/array>\n", with, "c", "null");
	cr_expect_null(why, "%s", why);
	cr_expect_not_null(made(s, source, " -I%s/x --include-path %s/package/include", "c",
	                        "null"));
	cr_expect_not_null(made(s, source, " --options-file x --include-path %s/package/include",
	                        "c", "null"));
	cr_expect_not_null(made(s, source, " -O3 --include-path %s/other", "c", "null"));
	cr_expect_not_null(made(s, source, " -O3 --include-path", "c", "null"));
	cr_expect_not_null(made(s, source, " -O3 --include-path package/include", "c", "null"));
	cr_expect_not_null(made(s, source, " \\\"-O3\\\" --include-path %s/package/include", "c",
	                        "null"));
	/* A shell expands it. */
	cr_expect_not_null(made(s, source, " -DX=$X --include-path %s/package/include", "c",
	                        "null"));
	cr_expect_not_null(made(s, source, with, "/usr/local/cuda/bin/../include/a.h", "null"));
	cr_expect_not_null(made(s, source, with, scratch("cuda/targets/a.h"), "null"));
	cr_expect_not_null(made(s, source, with, scratch("cuda/include/a.h"), "null"));
	/* It may have been another one while nvcc ran. */
	written = 1;
	why = made(s, source, with, "c", "null");
	cr_expect(why && strstr(why, "since its source"), "%s", why);
	written = INT64_MAX;
	/* By a link: only where the kernel does not tell its path. */
	cr_assert_eq(symlink("package", scratch("app")), 0);
	why = made(s, source, " --include-path %s/app/include", "c", "null");
	cr_expect_null(why, "%s", why);
	cr_expect_not_null(made(s, source, " --include-path %s/app/include",
	                        scratch("app/include/own/k.cuh"), "null"));
	/* Of another process. */
	cr_expect_not_null(made("machine=x86_64", source, with, "c", "null"));
	/* Changed since. */
	scratch_write("package/include/cute/c.hpp", "four");
	cr_expect_not_null(made(s, source, with, "c", "null"));
	scratch_write("package/include/cute/c.hpp", "three\n");
	cr_expect_null(made(s, source, with, "c", "null"));
	scratch_write("cuda/bin/ptxas", "another");
	cr_expect_not_null(made(s, source, with, "c", "null"));
}
