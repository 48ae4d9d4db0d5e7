/* judge/input/prefixed.c - the names in a directory that begin with one of some prefixes. */
#include "judge/input/input.h"

#include "keying/probe_dir.h"
#include "shim/sort.h"
#include "tools/crates.h"

#include "shim/banned.h"

/* A name of a directory is at most 255 bytes. */
struct prefixes {
	struct start *start;
	const char *dir;
	const char **v;
	size_t count, cap;
	int check;  /* look for names that may have appeared since the tool read the directory */
	int is_new; /* one may have */
};

static int begins(const struct prefixes *p, const char *name)
{
	for (size_t i = 0; i < p->count; i++)
		if (strncmp(name, p->v[i], strlen(p->v[i])) == 0)
			return 1;
	return 0;
}

static int stat_in(const struct prefixes *p, const char *name, struct statx *st)
{
	char path[PATH_SIZE];

	if (path_join(path, sizeof path, p->dir, name) >= sizeof path)
		return -1;
	return sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, st) < 0 ? -1 : 0;
}

static int skip(void *ctx, const char *name)
{
	struct prefixes *p = ctx;
	char other[LISTED_NAME_SIZE];
	struct statx st;

	if (!begins(p, name))
		return 1;
	if (crates_replaced(p->start->row, name, other) && stat_in(p, other, &st) == 0)
		return 1;
	if (p->check && (stat_in(p, name, &st) < 0 || changed_too_new(p->start, p->dir, &st)))
		p->is_new = 1;
	return 0;
}

/* The prefixes count too: the result's key holds no more of an input than its value. */
static int value_of(struct prefixes *p, struct digest *value)
{
	struct digest_state state;
	struct digest names;

	if (probe_listing(&p->start->prober, p->dir, skip, p, &names) < 0)
		return -1;
	digest_init(&state);
	digest_add(&state, &names, sizeof names);
	for (size_t i = 0; i < p->count; i++)
		digest_add(&state, p->v[i], strlen(p->v[i]) + 1);
	digest_final(&state, value);
	return 0;
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* The prefix that the file adds. -1: no memory. */
static int add_prefix(struct collect *k, struct prefixes *p, const struct listed_dir *dir,
                      const char *file)
{
	struct start *s = k->start;
	int n = crates_prefix(s->row, &s->cmd, dir, file);
	const char *base = path_base(file);

	if (n <= 0)
		return 0;
	for (size_t i = 0; i < p->count; i++)
		if (strlen(p->v[i]) == (size_t)n && memcmp(p->v[i], base, (size_t)n) == 0)
			return 0;
	if (!arena_room(&s->arena, p->v, p->count, &p->cap, 64))
		return -1;
	p->v[p->count] = arena_memdup(&s->arena, base, (size_t)n);
	return p->v[p->count++] ? 0 : -1;
}

static int gather(struct collect *k, struct prefixes *p, const struct listed_dir *dir)
{
	const char **sorted;

	for (size_t i = 0; i < k->t->count; i++)
		if (k->t->file[i].flags & TREE_READ &&
		    add_prefix(k, p, dir, k->t->file[i].path) < 0)
			return -1;
	sorted = sort_stable(&k->start->arena, p->v, p->count, sizeof *p->v, by_name);
	p->v = sorted;
	return sorted || !p->count ? 0 : -1;
}

/* The tree made a file that the listing may have held. */
static int made_one(const struct collect *k, const struct prefixes *p)
{
	size_t n = strlen(p->dir);

	for (size_t i = 0; i < k->t->count; i++) {
		const struct tree_file *f = &k->t->file[i];

		if (f->flags & TREE_MADE && path_dir_len(f->path) == n &&
		    memcmp(f->path, p->dir, n) == 0 && begins(p, path_base(f->path)))
			return 1;
	}
	return 0;
}

int collect_prefixed(struct collect *k, const struct tree_file *f)
{
	struct start *s = k->start;
	struct listed_dir dir = {f->path, s->call.cwd};
	struct prefixes p = {.start = s, .dir = f->path, .check = 1};
	struct digest value;
	struct input *in;
	struct statx st;

	if (crates_prefix(s->row, &s->cmd, &dir, NULL) < 0)
		return 0;
	if (gather(k, &p, &dir) < 0) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return 1;
	}
	if (!p.count)
		return 1;
	if (made_one(k, &p))
		collect_refuse(k, REASON_UNSTORED_OUTPUT, f->path);
	else if (probe_stat(&s->prober, f->path, &st) < 0 || changed_identity(f, &st) ||
	         value_of(&p, &value) < 0)
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
	else if (p.is_new)
		collect_refuse(k, REASON_UNSTORED_INPUT_NEW, f->path);
	in = k->reason == REASON_NONE ? collect_input(k, INPUT_PREFIXED) : NULL;
	if (!in)
		return 1;
	in->value = value;
	in->names = p.v;
	in->name_count = p.count;
	collect_spec(k, in, f->path, collect_relative(f));
	return 1;
}

int prefixed_holds(struct start *s, const struct input *in, const char *path)
{
	struct prefixes p = {.start = s, .dir = path, .v = (const char **)in->names,
	                     .count = in->name_count};
	struct digest value;

	return (value_of(&p, &value) == 0 && digest_equal(&value, &in->value)) ||
	       start_detail(s, "libraries in directory %s changed", path);
}
