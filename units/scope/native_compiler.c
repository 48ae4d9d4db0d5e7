/* units/scope/native_compiler.c - finds the programs of a compiler's start, and digests them. */
#include "units/scope/scope.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/settings/settings.h"

#include "shim/banned.h"

/* Scripts that start scripts. */
#define DEPTH_MAX 4
static const char by_script[] = "its compiler is a script that does more than start a program";

/* Variables that change what a compiler makes of Triton's command; their values count. */
static const char values[] = "LIBRARY_PATH\0LD_RUN_PATH\0CCC_OVERRIDE_OPTIONS\0";

/* Variables behind which there are headers, programs, scripts, or outputs. */
static const char refused[] =
	"CPATH\0C_INCLUDE_PATH\0COMPILER_PATH\0GCC_EXEC_PREFIX\0TRITON_CUDACRT_PATH\0"
	"TRITON_CUDART_PATH\0DEPENDENCIES_OUTPUT\0SUNPRO_DEPENDENCIES\0CCACHE_COMPILER\0"
	"CCACHE_PATH\0CCACHE_PREFIX\0";

/* What a compiler looks for in its own directories and links. */
static const char parts[] = "cc1\0collect2\0as\0ld\0specs\0";
static const char linked[] =
	"libcuda.so\0libcuda.so.1\0libc.so\0libgcc.a\0libgcc_s.so\0libgcc_s.so.1\0crti.o\0"
	"crtn.o\0crtbeginS.o\0crtendS.o\0";

static int add_files_in(struct native *r, const char *dir, const void *names)
{
	for (const char *n = names; *n; n += strlen(n) + 1) {
		const char *path = arena_cat(r->arena, dir, "/", n, NULL);

		if (path && native_file(r, path, NATIVE_HEAD, NULL) == 0)
			digest_add(&r->s, n, strlen(n) + 1);
	}
	return 0;
}

/* A program to find in PATH. */
struct sought {
	const char *name;
	unsigned depth;     /* scripts that led to it */
	unsigned found;
	const char *why;    /* NULL, or why it is not judged */
};

static void add_program(struct native *r, const char *path, struct sought *w);

static int add_program_in(struct native *r, const char *dir, const void *sought)
{
	struct sought *w = (struct sought *)sought;
	const char *path = arena_cat(r->arena, dir, "/", w->name, NULL);

	if (path)
		add_program(r, path, w);
	return 0;
}

/* The number found. */
static unsigned add_named(struct native *r, struct sought *w)
{
	const char *path = env_get(r->envp, "PATH");

	if (strchr(w->name, '/'))
		add_program(r, w->name, w);
	else
		native_each_of(r, path ? path : "/bin:/usr/bin", w, add_program_in);
	return w->found;
}

/* n bytes of a script are in r->head. */
static void add_script(struct native *r, size_t n, struct sought *w)
{
	char *text = arena_memdup(r->arena, (const char *)r->head, n), *word[NATIVE_WORDS_MAX];
	size_t words = text && n < NATIVE_HEAD ? native_script(text, n, word) : 0;
	struct sought next = {words ? word[0] : "", w->depth + 1, 0, NULL};

	if (!words || w->depth == DEPTH_MAX || env_get(r->envp, "BASH_ENV")) {
		w->why = by_script;
		return;
	}
	for (size_t i = 1; i < words; i++)
		if (word[i][1] == 'B') {
			add_files_in(r, word[i] + 2, parts);
			add_files_in(r, word[i] + 2, linked);
		}
	if (!add_named(r, &next) || next.why)
		w->why = next.why ? next.why : by_script;
}

/* Its name counts, since programs such as ccache go by it. */
static void add_program(struct native *r, const char *path, struct sought *w)
{
	const char *name = path_base(path);
	size_t n;

	if (w->why || sys_access(path, X_OK) < 0 || native_file(r, path, NATIVE_WHOLE, &n) < 0)
		return;
	digest_add(&r->s, name, strlen(name) + 1);
	w->found++;
	if (n > 2 && memcmp(r->head, "#!", 2) == 0)
		add_script(r, n, w);
}

/* The compiler that Triton finds. NULL, or why it is not judged. */
static const char *add_compiler(struct native *r)
{
	const char *cc = env_get(r->envp, "CC");
	struct sought w = {cc ? cc : "gcc", 0, 0, NULL};

	if (!add_named(r, &w) && !cc) {
		w.name = "clang";
		add_named(r, &w);
	}
	return w.why;
}

/* What nvcc starts, which goes by no variable but NVCC_CCBIN. */
static const char *add_host_of_nvcc(struct native *r)
{
	static const char names[] = "gcc\0g++\0";

	for (const char *n = names; *n; n += strlen(n) + 1) {
		struct sought w = {n, 0, 0, NULL};

		if (!add_named(r, &w) || w.why)
			return w.why ? w.why : "nvcc's host compiler is not found";
	}
	return NULL;
}

/* The compilers that TileLang finds: for nvcc one of C++, for its own link one of any language. */
static const char *add_cplusplus(struct native *r)
{
	static const char others[] = "gcc\0clang++\0clang\0c++\0cc\0";
	const char *cxx = env_get(r->envp, "CXX");
	struct sought w = {"g++", 0, 0, NULL};

	if (!cxx || !*cxx)
		cxx = env_get(r->envp, "CC");
	if (cxx && *cxx)
		w.name = cxx;
	if (add_named(r, &w) || w.name == cxx)
		return w.why;
	for (const char *o = others; *o; o += strlen(o) + 1) {
		w.name = o;
		add_named(r, &w);
	}
	return w.why;
}

const char *native_compiler(struct native *r, enum native_finder finder)
{
	static const char tools[] = "as\0ld\0";
	const char *list = env_get(r->envp, "LIBRARY_PATH"), *why;

	for (const char *v = refused; *v; v += strlen(v) + 1)
		if (env_get(r->envp, v)) {
			why = arena_cat(r->arena, v, " is set, and its content is not in the scope",
			                NULL);
			return why ? why : "memory is refused";
		}
	why = finder == NATIVE_CXX ? add_cplusplus(r)
	      : finder == NATIVE_OF_NVCC ? add_host_of_nvcc(r) : add_compiler(r);
	for (const char *t = tools; *t && !why; t += strlen(t) + 1) {
		struct sought w = {t, 0, 0, NULL};

		add_named(r, &w);
		why = w.why;
	}
	for (const char *v = values; *v; v += strlen(v) + 1) {
		const char *value = env_get(r->envp, v);

		digest_add(&r->s, v, strlen(v) + 1);
		if (value)
			digest_add(&r->s, value, strlen(value) + 1);
	}
	native_each_of(r, list && !*list ? "." : list, linked, add_files_in);
	return why;
}
