/* action/search.c - what the tree looked for along PATH: the answers are inputs, PATH itself is not.
 *
 * gcc asks for itself and runs `as` by name, clang looks for its linker: each by probes of its own or
 * of libc's. Whatever was asked for directly in a directory of PATH counts as looked for, so another
 * PATH that finds other programs is a miss, and one that finds the same is none. */
#include <string.h>

#include "action/judge.h"
#include "shim/path.h"
#include "shim/sys.h"

const char *action_search(struct action *a, const char *name)
{
	const char *path = action_env(a, "PATH");
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

/* Whether the first n bytes of file, which is absolute and tidy, are one element of the list, however that is spelled. */
static int is_element(const struct action *a, const char *list, const char *file, size_t n)
{
	char dir[2 * PATH_SIZE];

	while (list) {
		size_t len = strcspn(list, ":"), at = 0;

		/* An empty one is the working directory. */
		if (*list != '/') {
			memcpy(dir, a->cwd, a->cwd_len);
			dir[a->cwd_len] = '/';
			at = a->cwd_len + 1;
		}
		if (len < PATH_SIZE) {
			memcpy(dir + at, list, len);
			dir[at + len] = '\0';
			if (path_tidy(dir) == n && memcmp(dir, file, n) == 0)
				return 1;
		}
		list = list[len] ? list + len + 1 : NULL;
	}
	return 0;
}

int judge_on_path(struct action *a, const char *file)
{
	const char *path = action_env(a, "PATH");
	size_t dir = path_dir_len(file);

	return path && dir && is_element(a, path, file, dir);
}

int judge_searches(struct action *a, const struct tree *t, const char **names)
{
	const char *path = action_env(a, "PATH");
	int count = 0;

	for (size_t i = 0; path && i < t->count; i++) {
		const struct tree_file *f = &t->file[i];
		size_t dir = path_dir_len(f->path);
		int k;

		if (f->flags & TREE_MADE || dir == 0 || !is_element(a, path, f->path, dir))
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
