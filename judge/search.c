/* judge/search.c - searches along PATH. The answers are inputs, PATH itself is not.
 *
 * gcc looks for itself and runs `as` by name, and clang looks for its linker. They use their own
 * probes or libc's. Every question about a file directly in a directory of PATH counts as a search.
 * So a PATH that finds other programs is a miss, and a PATH that finds the same programs is
 * no miss. */
#include "judge/search.h"

#include <string.h>

#include "judge/tree_file.h"
#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

/* 1: found is the program of this name in one directory of PATH. */
static int is_program(const char *dir, size_t n, const char *name, char found[PATH_SIZE])
{
	size_t len = strlen(name), at = n;
	struct statx st;

	if (n + 2 + len >= PATH_SIZE)
		return 0;
	memcpy(found, dir, n);
	if (n)
		found[at++] = '/';
	memcpy(found + at, name, len + 1);
	return sys_access(found, X_OK) == 0 &&
	       sys_statx(AT_FDCWD, found, 0, STATX_TYPE, &st) == 0 &&
	       (st.stx_mode & S_IFMT) == S_IFREG;
}

const char *judge_search_past(const struct invocation *call, const char *name,
                              int (*holds_none)(void *ctx, const char *dir, size_t n), void *ctx,
                              struct arena *a)
{
	const char *path = invocation_env(call, "PATH");
	char found[PATH_SIZE];

	if (!path)
		return "unset";
	for (;;) {
		size_t n = strcspn(path, ":");

		if (!(holds_none && holds_none(ctx, path, n)) && is_program(path, n, name, found))
			return arena_strdup(a, found);
		if (!path[n])
			return "";
		path += n + 1;
	}
}

const char *judge_search(const struct invocation *call, const char *name, struct arena *a)
{
	return judge_search_past(call, name, NULL, NULL, a);
}

static void find_places(struct invocation *call, struct arena *a)
{
	const char *list = invocation_env(call, "PATH");
	size_t most = 1;

	if (!list || call->path_dir)
		return;
	for (const char *p = list; *p; p++)
		most += *p == ':';
	call->path_dir = arena_alloc(a, most * sizeof *call->path_dir);
	for (size_t len; call->path_dir && list; list = list[len] ? list + len + 1 : NULL) {
		char *dir;

		len = strcspn(list, ":");
		dir = arena_memdup(a, list, len);
		/* An empty component is the working directory. */
		if (dir && *list != '/')
			dir = arena_cat(a, call->cwd, "/", dir, NULL);
		if (!dir)
			break;
		path_tidy(dir);
		call->path_dir[call->path_dirs++] = dir;
	}
}

int judge_on_path(struct invocation *call, const char *file, struct arena *a)
{
	size_t n = path_dir_len(file);

	find_places(call, a);
	for (size_t i = 0; n && i < call->path_dirs; i++)
		if (strncmp(call->path_dir[i], file, n) == 0 && !call->path_dir[i][n])
			return 1;
	return 0;
}

int judge_searches(struct invocation *call, const struct tree *t, const char **names,
                   struct arena *a)
{
	int count = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tree_file *f = &t->file[i];
		int k;

		if (f->flags & TREE_MADE || !judge_on_path(call, f->path, a))
			continue;
		for (k = 0; k < count && strcmp(names[k], path_base(f->path)) != 0; k++)
			;
		if (k < count)
			continue;
		if (count == JUDGE_SEARCHES_MAX)
			return -1;
		names[count++] = path_base(f->path);
	}
	return count;
}
