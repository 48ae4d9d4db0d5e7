/* units/scope/header_tree.c - digests all files below a directory of headers. */
#include "units/scope/scope.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/kernel/sys.h"
#include "shim/sort.h"
#include "store/walk.h"
#include "units/scope/native_file.h"

#include "shim/banned.h"

/* DeepGEMM's wheel has 940 headers in 72 directories, TileLang 0.1.15 has 34. */
#define HEADERS_MAX 4096

struct listing {
	struct native *n;
	const char **file, **dir;
	size_t files, dirs;
};

static int add_name(void *ctx, int dirfd, const char *path, const char *name)
{
	struct listing *l = ctx;
	const char *at = arena_cat(l->n->arena, path, "/", name, NULL);
	struct statx st;

	if (!at || sys_statx(dirfd, name, 0, STATX_TYPE, &st) < 0)
		return -1;
	if (S_ISDIR(st.stx_mode) && l->dirs < HEADERS_MAX) {
		l->dir[l->dirs++] = at;
		return 0;
	}
	if (S_ISDIR(st.stx_mode) || l->files == HEADERS_MAX)
		return -1;
	l->file[l->files++] = at;
	return 0;
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

int header_tree(struct native *n, const char *dir)
{
	const size_t size = HEADERS_MAX * sizeof(const char *), skip = strlen(dir);
	struct listing l = {n, arena_alloc(n->arena, size), arena_alloc(n->arena, size), 0, 1};

	if (!l.file || !l.dir)
		return -1;
	/* One directory after the other: the stack of a host's thread holds no walk in a walk. A
	 * developer's install links CUTLASS's headers: with a dot behind it, a link is followed. */
	l.dir[0] = dir;
	for (size_t i = 0; i < l.dirs; i++) {
		const char *at = arena_cat(n->arena, l.dir[i], "/.", NULL);
		struct statx st;

		/* walk_names takes a directory that it cannot list for an empty one, but a compiler
		 * finds the files in it. */
		if (!at || sys_access(at, R_OK) < 0 ||
		    sys_statx(AT_FDCWD, at, 0, STATX_CTIME, &st) < 0 ||
		    walk_names(at, add_name, &l) < 0)
			return -1;
		native_seen(n, &st);
	}
	l.file = sort_stable(n->arena, l.file, l.files, sizeof *l.file, by_name);
	for (size_t i = 0; l.file && i < l.files; i++) {
		digest_add(&n->s, l.file[i] + skip, strlen(l.file[i] + skip) + 1);
		if (native_file(n, l.file[i], NATIVE_WHOLE, NULL) < 0)
			return -1;
	}
	return l.file && l.files ? 0 : -1;
}
