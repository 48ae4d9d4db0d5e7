/* judge/search.c - what the tree looked for along PATH: the answers are inputs, PATH itself is not.
 *
 * gcc asks for itself and runs `as` by name, clang looks for its linker: each by probes of its own or
 * of libc's. Whatever was asked for directly in a directory of PATH counts as looked for, so another
 * PATH that finds other programs is a miss, and one that finds the same is none. */
#include "judge/search.h"

#include <string.h>

#include "judge/start.h"
#include "judge/tree_file.h"
#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

const char *judge_search(struct start *a, const char *name)
{
	const char *path = start_env(a, "PATH");
	char found[PATH_SIZE];
	size_t len = strlen(name);
	struct statx st;

	if (!path)
		return "unset";
	for (;;) {
		size_t n = strcspn(path, ":");

		if (n + 2 + len < sizeof found) {
			size_t at = n;

			memcpy(found, path, n);
			if (n)
				found[at++] = '/';
			memcpy(found + at, name, len + 1);
			if (sys_access(found, X_OK) == 0 &&
			    sys_statx(AT_FDCWD, found, 0, STATX_TYPE, &st) == 0 &&
			    (st.stx_mode & S_IFMT) == S_IFREG)
				return arena_strdup(&a->arena, found);
		}
		if (!path[n])
			return "";
		path += n + 1;
	}
}

static void find_places(struct start *a)
{
	const char *list = start_env(a, "PATH");
	size_t most = 1;

	if (!list || a->path_dir)
		return;
	for (const char *p = list; *p; p++)
		most += *p == ':';
	a->path_dir = arena_alloc(&a->arena, most * sizeof *a->path_dir);
	for (size_t len; a->path_dir && list; list = list[len] ? list + len + 1 : NULL) {
		char *dir;

		len = strcspn(list, ":");
		dir = arena_memdup(&a->arena, list, len);
		/* An empty one is the working directory. */
		if (dir && *list != '/')
			dir = arena_cat(&a->arena, a->cwd, "/", dir, NULL);
		if (!dir)
			break;
		path_tidy(dir);
		a->path_dir[a->path_dirs++] = dir;
	}
}

int judge_on_path(struct start *a, const char *file)
{
	size_t n = path_dir_len(file);

	find_places(a);
	for (size_t i = 0; n && i < a->path_dirs; i++)
		if (strncmp(a->path_dir[i], file, n) == 0 && !a->path_dir[i][n])
			return 1;
	return 0;
}

int judge_searches(struct start *a, const struct tree *t, const char **names)
{
	int count = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tree_file *f = &t->file[i];
		int k;

		if (f->flags & TREE_MADE || !judge_on_path(a, f->path))
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
