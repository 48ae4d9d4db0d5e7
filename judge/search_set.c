/* judge/search_set.c - directories of PATH that hold none of a candidate's names are passed by. */
#include "judge/search_set.h"

#include <string.h>

#include "judge/search.h"
#include "judge/start.h"
#include "keying/probe_dir.h"

#include "shim/banned.h"

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

static void take_dirs(struct start *s, const char *path)
{
	struct search_set *set = &s->searches;
	size_t most = 1;

	for (const char *p = path; *p; p++)
		most += *p == ':';
	set->dir = arena_alloc(&s->arena, most * sizeof *set->dir);
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
	take_dirs(s, path);
}

const char *search_set_find(struct start *s, const char *name, const char *expected)
{
	struct search_dir *d = find_dir(&s->searches, expected, path_dir_len(expected));

	/* The program was there: a question for all names would be in vain. */
	if (d && d->state == DIR_UNKNOWN)
		d->state = DIR_MAY_HOLD;
	return judge_search_past(&s->call, name, dir_holds_none, s, &s->arena);
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
