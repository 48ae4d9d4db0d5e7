/* units/scope/deep_jit_scope.c - finds nvcc and headers as deep_jit does, the JIT library of
 * DeepGEMM and DeepEP. */
#include "units/scope/scope.h"

#include <link.h>
#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/settings/settings.h"
#include "store/walk.h"
#include "units/scope/native_file.h"

#include "shim/banned.h"

/* Libraries of a process that were built with deep_jit. */
#define LIBRARIES_MAX 8

/* Ends of names of variables that ask for more than a kernel in one directory, by which deep_jit
 * writes or prints what its key does not hold. */
static const char asking[] =
	"_JIT_DEBUG\0_JIT_DUMP_ASM\0_JIT_DUMP_PTX\0_JIT_DUMP_SASS\0"
	"_JIT_PRINT_COMPILER_COMMAND\0_JIT_PTXAS_VERBOSE\0";

/* 1: the variable's name, of n bytes, is a prefix with this end. Each package has its prefix. */
static int ends(const char *variable, size_t n, const char *end)
{
	size_t len = strlen(end);

	return n > len && memcmp(variable + n - len, end, len) == 0;
}

/* NULL, or why a variable of deep_jit's own turns the class off. */
static const char *own_refusal(const char *variable)
{
	size_t n = strcspn(variable, "=");
	const char *value = variable + n + (variable[n] != 0);

	if (!*value)
		return NULL;
	if (ends(variable, n, "_JIT_NVCC_COMPILER"))
		return "a variable of its own names nvcc (..._JIT_NVCC_COMPILER)";
	/* It looks for a kernel in all of them before it compiles. */
	if (ends(variable, n, "_JIT_CACHE_DIR") && strchr(value, ':'))
		return "a variable of its own names several directories (..._JIT_CACHE_DIR)";
	for (const char *a = asking; *a; a += strlen(a) + 1)
		if (ends(variable, n, a) && strcmp(value, "0") != 0)
			return "a variable of its own asks for what a compile prints or leaves "
			       "(..._JIT_DEBUG, _JIT_DUMP_..., _JIT_PRINT_..., _JIT_PTXAS_...)";
	return NULL;
}

/* As deep_jit/backend/cuda/backend.hpp. NULL: nothing that this finds. */
static const char *find_nvcc(struct native *n)
{
	const char *home = env_get(n->envp, "CUDA_HOME"), *nvcc;

	if (!home || !*home)
		home = env_get(n->envp, "CUDA_PATH");
	if ((!home || !*home) && (nvcc = toolkit_in_path(n)))
		home = toolkit_directory(n, nvcc, 1);
	if (!home || !*home)
		home = "/usr/local/cuda";
	/* deep_jit takes ".." away, also behind a link. */
	return *home == '/' && !strstr(home, "/..")
	       ? arena_cat(n->arena, home, "/bin/nvcc", NULL) : NULL;
}

/* A file below the directory of headers beside a library. */
static const char *beside(struct native *n, const char *library, const char *file)
{
	const char *dir = toolkit_directory(n, library, 0);

	return dir ? arena_cat(n->arena, dir, "/include", file, NULL) : NULL;
}

/* The loaded libraries with deep_jit's own headers beside them, in order. count: -1: there are more
 * than LIBRARIES_MAX. */
struct libraries {
	struct native *n;
	const char *path[LIBRARIES_MAX];
	int count;
};

static void add_library(struct libraries *l, const char *path)
{
	const char *mark = path && strstr(path, ".so") ? beside(l->n, path, "/deep_jit") : NULL;
	int at = l->count;

	if (at < 0 || !mark || sys_access(mark, F_OK) < 0)
		return;
	for (; at && strcmp(l->path[at - 1], path) > 0; at--)
		;
	if (at && strcmp(l->path[at - 1], path) == 0)
		return;
	if (l->count == LIBRARIES_MAX) {
		l->count = -1;
		return;
	}
	memmove(l->path + at + 1, l->path + at, (size_t)(l->count++ - at) * sizeof *l->path);
	l->path[at] = path;
}

/* Python loads a library by the path from which the package tells where its headers are. */
static int each_object(struct dl_phdr_info *info, size_t size, void *libraries)
{
	struct libraries *l = libraries;

	if (info->dlpi_name && *info->dlpi_name == '/')
		add_library(l, arena_strdup(l->n->arena, info->dlpi_name));
	return 0;
}

/* 1: the file there is the loaded one, and not one that took its place. */
static int is_mapped(struct native *n, const char *maps, const char *path)
{
	const char *real = toolkit_real(n, path);
	const char *line = real ? arena_cat(n->arena, " ", real, "\n", NULL) : NULL;

	return line && strstr(maps, line) != NULL;
}

/* In a process made by fork a thread that is gone may hold the loader's lock for ever. */
static void find_libraries(struct libraries *l, const char *maps, int forked)
{
	const char *from = maps, *path, *last = "";

	if (!forked) {
		dl_iterate_phdr(each_object, l);
		return;
	}
	for (; (path = native_mapped(l->n, maps, &from, "")); last = path)
		if (strcmp(path, last) != 0)
			add_library(l, path);
}

struct other {
	struct native *n;
	const char *include;
};

/* Stops at a name that is also in the other directory, and is none of deep_jit's or CUTLASS's. */
static int is_in_other(void *ctx, int dirfd, const char *path, const char *name)
{
	static const char common[] = "deep_jit\0cute\0cutlass\0";
	struct other *o = ctx;

	for (const char *c = common; *c; c += strlen(c) + 1)
		if (strcmp(name, c) == 0)
			return 0;
	path = arena_cat(o->n->arena, o->include, "/", name, NULL);
	return !path || sys_access(path, F_OK) == 0;
}

/* 1: two packages have headers of one name, such as two copies of DeepGEMM. Then deep_jit may name
 * kernels of both alike, and which of them asks for a kernel is not known. */
static int share_names(const struct libraries *l)
{
	for (int i = 0; i < l->count; i++)
		for (int j = 0; j < i; j++) {
			struct other o = {l->n, beside(l->n, l->path[j], "")};
			const char *dir = beside(l->n, l->path[i], "");

			if (!o.include || !dir)
				return 1;
			if (strcmp(dir, o.include) != 0 && walk_names(dir, is_in_other, &o) != 0)
				return 1;
		}
	return 0;
}

/* Its path counts, since assertions in a kernel print it. */
static int add_headers(struct native *n, const char *include)
{
	digest_init(&n->s);
	digest_add(&n->s, include, strlen(include) + 1);
	return header_tree(n, include);
}

const char *deep_jit_scope(struct native *n, const char *maps, int forked, struct buf *b)
{
	struct libraries l = {.n = n};
	const char *include, *last = "", *why;

	for (char *const *v = n->envp; *v; v++)
		if ((why = own_refusal(*v)))
			return why;
	find_libraries(&l, maps, forked);
	if (l.count <= 0)
		return "no library with deep_jit's headers beside it is loaded, or too many are";
	if (share_names(&l))
		return "two packages with deep_jit have headers of one name";
	digest_init(&n->s);
	for (int i = 0; i < l.count; i++)
		if (!is_mapped(n, maps, l.path[i]) ||
		    native_file(n, l.path[i], NATIVE_HEAD, NULL) < 0)
			return "a library with deep_jit cannot be read";
	native_finish(n, b, " library=");
	digest_init(&n->s);
	if ((why = toolkit_add(n, find_nvcc(n))))
		return why;
	native_finish(n, b, " nvcc=");
	for (int i = 0; i < l.count; i++, last = include) {
		include = beside(n, l.path[i], "");
		if (!include)
			return "memory is refused";
		if (strcmp(include, last) == 0)
			continue;
		if (add_headers(n, include) < 0)
			return "the headers beside its library cannot be read";
		native_finish(n, b, " headers=");
	}
	return NULL;
}

/* 1: the scope has the word that n->s makes behind this name. */
static int has(struct native *n, const char *scope, const char *name)
{
	struct buf b = BUF_INIT(n->arena);

	native_finish(n, &b, name);
	buf_u8(&b, 0);
	return !b.failed && strstr(scope, (const char *)b.data);
}

int deep_jit_scope_has_nvcc(struct native *n, const char *scope, const char *nvcc)
{
	digest_init(&n->s);
	return !toolkit_add(n, nvcc) && has(n, scope, " nvcc=");
}

int deep_jit_scope_has_headers(struct native *n, const char *scope, const char *include)
{
	return add_headers(n, include) == 0 && has(n, scope, " headers=");
}
