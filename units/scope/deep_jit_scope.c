/* units/scope/deep_jit_scope.c - finds nvcc and headers as deep_jit does, the JIT library of
 * DeepGEMM and DeepEP. */
#include "units/scope/scope.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/settings/settings.h"
#include "units/scope/native_file.h"

#include "shim/banned.h"

/* Libraries of a process that were built with deep_jit. */
#define LIBRARIES_MAX 8

/* 1: a variable names another nvcc: <PREFIX>_JIT_NVCC_COMPILER. Each package has its prefix. */
static int names_nvcc(char *const envp[])
{
	static const char end[] = "_JIT_NVCC_COMPILER";

	for (; *envp; envp++) {
		const char *value = strchr(*envp, '=');
		size_t n = value ? (size_t)(value - *envp) : 0;

		if (n >= sizeof end && value[1] &&
		    memcmp(value - (sizeof end - 1), end, sizeof end - 1) == 0)
			return 1;
	}
	return 0;
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
	return *home == '/' ? arena_cat(n->arena, home, "/bin/nvcc", NULL) : NULL;
}

/* A file below the directory of headers beside a library. */
static const char *beside(struct native *n, const char *library, const char *file)
{
	const char *dir = toolkit_directory(n, library, 0);

	return dir ? arena_cat(n->arena, dir, "/include", file, NULL) : NULL;
}

/* The loaded libraries with deep_jit's own headers beside them, in order. Their number, or -1:
 * there are more than LIBRARIES_MAX. */
static int find_libraries(struct native *n, const char *maps, const char *found[LIBRARIES_MAX])
{
	const char *from = maps, *path, *last = "";
	int count = 0, at;

	for (; (path = native_mapped(n, maps, &from, "")); last = path) {
		const char *mark = strcmp(path, last) != 0 && strstr(path, ".so")
		                   ? beside(n, path, "/deep_jit") : NULL;

		if (!mark || sys_access(mark, F_OK) < 0)
			continue;
		for (at = count; at && strcmp(found[at - 1], path) > 0; at--)
			;
		if (at && strcmp(found[at - 1], path) == 0)
			continue;
		if (count == LIBRARIES_MAX)
			return -1;
		memmove(found + at + 1, found + at, (size_t)(count++ - at) * sizeof *found);
		found[at] = path;
	}
	return count;
}

/* Its path counts, since assertions in a kernel print it. */
static int add_headers(struct native *n, const char *include)
{
	digest_init(&n->s);
	digest_add(&n->s, include, strlen(include) + 1);
	return header_tree(n, include);
}

const char *deep_jit_scope(struct native *n, const char *maps, struct buf *b)
{
	const char *library[LIBRARIES_MAX], *include, *last = "", *why;
	int count = find_libraries(n, maps, library);

	if (count <= 0)
		return "no library with deep_jit's headers beside it is loaded, or too many are";
	if (names_nvcc(n->envp))
		return "a variable of its own names nvcc (..._JIT_NVCC_COMPILER)";
	digest_init(&n->s);
	for (int i = 0; i < count; i++)
		if (native_file(n, library[i], NATIVE_HEAD, NULL) < 0)
			return "a library with deep_jit cannot be read";
	native_finish(n, b, " library=");
	digest_init(&n->s);
	if ((why = toolkit_add(n, find_nvcc(n))))
		return why;
	native_finish(n, b, " nvcc=");
	for (int i = 0; i < count; i++, last = include) {
		include = beside(n, library[i], "");
		include = include ? toolkit_real(n, include) : NULL;
		if (!include)
			return "the headers beside its library cannot be read";
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
