/* judge/input/search.c - searches along PATH. The answers are inputs, PATH itself is not.
 *
 * gcc looks for itself and runs `as` by name, and clang looks for its linker. They use their own
 * probes or libc's. Every question about a file directly in a directory of PATH counts as a search.
 * So a PATH that finds other programs is a miss, and a PATH that finds the same programs is
 * no miss. */
#include "judge/input/search.h"

#include "judge/start.h"
#include "keying/probe_dir.h"
#include "trace/tree.h"

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

/* judge_search() without the directories for which holds_none() is true: the n bytes at dir, as
 * PATH spells them. */
static const char *search_past(const struct invocation *call, const char *name,
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
	return search_past(call, name, NULL, NULL, a);
}

static void find_places(struct invocation *call, struct arena *a)
{
	const char *list = call->path_dir ? NULL : invocation_env(call, "PATH");
	size_t most = 1;

	if (!list)
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
		call->path_dir[call->path_dirs].len = path_tidy(dir);
		call->path_dir[call->path_dirs++].path = dir;
	}
}

int judge_on_path(struct invocation *call, const char *file, struct arena *a)
{
	size_t n = path_dir_len(file);

	find_places(call, a);
	for (size_t i = 0; n && i < call->path_dirs; i++)
		if (call->path_dir[i].len == n && memcmp(call->path_dir[i].path, file, n) == 0)
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

/* Directories of PATH that hold none of a candidate's names are passed by. */

enum dir_state { DIR_UNKNOWN, DIR_HOLDS_NONE, DIR_MAY_HOLD };

struct search_dir {
	const char *path; /* a component of PATH, not terminated */
	size_t len;
	enum dir_state state;
};

static struct search_dir *find_dir(const struct search_set *set, const char *path, size_t len)
{
	for (size_t i = 0; i < set->dirs; i++)
		if (set->dir[i].len == len && memcmp(set->dir[i].path, path, len) == 0)
			return &set->dir[i];
	return NULL;
}

static void take_dirs(struct search_set *set, struct arena *arena, const char *path)
{
	size_t most = 1;

	for (const char *p = path; *p; p++)
		most += *p == ':';
	set->dir = arena_alloc(arena, most * sizeof *set->dir);
	for (size_t n; set->dir; path += n + 1) {
		n = strcspn(path, ":");
		if (!find_dir(set, path, n))
			set->dir[set->dirs++] = (struct search_dir){path, n, DIR_UNKNOWN};
		if (!path[n])
			return;
	}
}

static int holds_none(struct start *s, struct search_dir *d)
{
	struct search_set *set = &s->searches;
	const char *path;
	size_t which;

	if (d->state == DIR_UNKNOWN) {
		path = arena_memdup(&s->arena, d->path, d->len);
		d->state = path && probe_absent(&s->prober, path, set->names, set->count,
		                                &set->digest, &which)
		                   ? DIR_HOLDS_NONE
		                   : DIR_MAY_HOLD;
	}
	return d->state == DIR_HOLDS_NONE;
}

static int dir_holds_none(void *ctx, const char *dir, size_t n)
{
	struct start *s = ctx;
	struct search_dir *d = find_dir(&s->searches, dir, n);

	return d && holds_none(s, d);
}

/* --- public, in header order --- */

void search_set_begin(struct start *s, const struct candidate *c)
{
	struct search_set *set = &s->searches;
	const char *path = invocation_env(&s->call, "PATH");
	const char **names = NULL;
	struct digest_state digest;

	memset(set, 0, sizeof *set);
	for (size_t i = 0; i < c->count; i++)
		set->count += c->v[i].kind == INPUT_SEARCH;
	if (path && set->count > 1)
		names = arena_alloc(&s->arena, set->count * sizeof *names);
	if (!names)
		return;
	set->names = names;
	digest_init(&digest);
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == INPUT_SEARCH) {
			*names++ = c->v[i].spec;
			digest_add(&digest, c->v[i].spec, strlen(c->v[i].spec) + 1);
		}
	digest_final(&digest, &set->digest);
	take_dirs(&s->searches, &s->arena, path);
}

const char *search_set_find(struct start *s, const char *name, const char *expected)
{
	struct search_dir *d = find_dir(&s->searches, expected, path_dir_len(expected));

	/* The program was there: a question for all names would be in vain. */
	if (d && d->state == DIR_UNKNOWN)
		d->state = DIR_MAY_HOLD;
	return search_past(&s->call, name, dir_holds_none, s, &s->arena);
}

int search_set_absent(struct start *s, const char *path)
{
	const struct search_set *set = &s->searches;
	struct search_dir *d = find_dir(set, path, path_dir_len(path));

	for (size_t i = 0; d && i < set->count; i++)
		if (strcmp(set->names[i], path_base(path)) == 0)
			return holds_none(s, d);
	return 0;
}
