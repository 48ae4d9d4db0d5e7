/* units/scope/toolkit.c - digests nvcc and what lies around it. */
#include "units/scope/scope.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/kernel/realpath.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/settings/settings.h"
#include "units/scope/native_file.h"

#include "shim/banned.h"

#define DEPTH_MAX 4 /* scripts that start scripts */

/* From the directory of nvcc's program. The first three are in each toolkit. */
static const char parts[] =
	"/nvcc.profile\0/ptxas\0/../nvvm/bin/cicc\0/../nvvm/libdevice/libdevice.10.bc\0"
	"/cudafe++\0/fatbinary\0/../version.json\0";
enum { PARTS_NEEDED = 3 };
/* Where headers may be. conda has them below targets, by packages with versions of their own. */
static const char roots[] =
	"/../include\0/../targets/x86_64-linux/include\0/../targets/sbsa-linux/include\0";
static const char headers[] =
	"/cuda.h\0/cuda_fp16.hpp\0/cuda_runtime_api.h\0/crt/host_config.h\0"
	"/cccl/cuda/std/__cccl/version.h\0/cuda/std/__cccl/version.h\0";

static int is_program(const char *path)
{
	struct statx st;

	return sys_access(path, X_OK) == 0 &&
	       sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &st) == 0 && S_ISREG(st.stx_mode);
}

static int find_nvcc_in(struct native *n, const char *dir, const void *found)
{
	const char *path = arena_cat(n->arena, dir, "/nvcc", NULL);

	if (!path || !is_program(path))
		return 0;
	*(const char **)found = path;
	return 1;
}

const char *toolkit_in_path(struct native *n)
{
	const char *nvcc = NULL;

	native_each_of(n, env_get(n->envp, "PATH"), &nvcc, find_nvcc_in);
	return nvcc;
}

const char *toolkit_directory(struct native *n, const char *path, int up)
{
	size_t len = path_dir_len(path);

	if (up && len > 1)
		len = path_dir_len(arena_memdup(n->arena, path, len));
	return len ? arena_memdup(n->arena, path, len) : NULL;
}

const char *toolkit_real(struct native *n, const char *path)
{
	char *to = arena_alloc(n->arena, PATH_SIZE);
	ssize_t len = to ? path_real(to, PATH_SIZE, path) : -1;

	return len > 0 && len < PATH_SIZE ? arena_memdup(n->arena, to, (size_t)len) : NULL;
}

/* The program that a script of one command starts, or the path itself. NULL: another script. */
static const char *behind_scripts(struct native *n, const char *path)
{
	for (unsigned depth = 0; path && depth < DEPTH_MAX; depth++) {
		char *word[NATIVE_WORDS_MAX], *text;
		size_t len;

		if (native_file(n, path, NATIVE_WHOLE, &len) < 0)
			return NULL;
		if (len <= 2 || memcmp(n->head, "#!", 2) != 0)
			return path;
		text = len < NATIVE_HEAD ? arena_memdup(n->arena, (const char *)n->head, len)
		       : NULL;
		if (!text || env_get(n->envp, "BASH_ENV") ||
		    native_script(text, len, word) != 1 || *word[0] != '/')
			return NULL;
		path = word[0];
	}
	return NULL;
}

const char *toolkit_home(struct native *n, const char *nvcc)
{
	const char *program = behind_scripts(n, nvcc);
	const char *file = program ? toolkit_real(n, program) : NULL;

	return file ? toolkit_directory(n, file, 1) : NULL;
}

/* Answers how many of the first PARTS_NEEDED names are there. */
static unsigned add_names(struct native *n, const char *dir, const char *names)
{
	unsigned at = 0, needed = 0;

	for (const char *p = names; *p; p += strlen(p) + 1, at++) {
		const char *path = arena_cat(n->arena, dir, p, NULL);

		if (!path || native_file(n, path, NATIVE_WHOLE, NULL) < 0)
			continue;
		digest_add(&n->s, p, strlen(p) + 1);
		needed += at < PARTS_NEEDED;
	}
	return needed;
}

/* As add_names for the parts. */
static unsigned add_parts(struct native *n, const char *dir)
{
	unsigned needed = add_names(n, dir, parts);

	for (const char *r = roots; *r; r += strlen(r) + 1) {
		const char *root = arena_cat(n->arena, dir, r, NULL);

		if (root && sys_access(root, F_OK) == 0) {
			digest_add(&n->s, r, strlen(r) + 1);
			add_names(n, root, headers);
		}
	}
	return needed;
}

const char *toolkit_add(struct native *n, const char *nvcc)
{
	const char *program = nvcc ? behind_scripts(n, nvcc) : NULL;
	const char *file = program ? toolkit_real(n, program) : NULL;
	const char *dir = file ? toolkit_directory(n, file, 0) : NULL;
	const char *named = program ? toolkit_directory(n, program, 0) : NULL;

	if (!dir || !named)
		return "which nvcc its kernels are made with is not known";
	if (strcmp(dir, named) != 0)
		add_parts(n, named);
	return add_parts(n, dir) == PARTS_NEEDED ? NULL
	       : "what nvcc starts is not found beside it";
}
