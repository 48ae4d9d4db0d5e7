/* judge/absences.c - what was looked for and not there, by directory. */
#include "judge/absences.h"

#include <string.h>

#include "judge/collect.h"
#include "judge/search.h"
#include "judge/tree_file.h"
#include "shim/sort.h"

#include "shim/banned.h"

/* A path that did not exist, by directory. */
struct absence {
	const char *dir, *name; /* name NULL: dir itself is missing, or of another type */
	int relative;
	unsigned type;
};

int collect_absences_init(struct collect *k)
{
	k->absent = arena_alloc(&k->a->arena, (k->t->count + 1) * sizeof *k->absent);
	return k->absent ? 0 : -1;
}

/* Names in a group are as they stand; a path is asked for under the asker's own names. */
static int holds_own_name(const struct start *a, const char *name)
{
	for (int i = 0; i < a->names.count; i++)
		if (strncmp(name, a->names.v[i].text, a->names.v[i].len) == 0)
			return 1;
	return a->names.own.len && strncmp(name, a->names.own.text, a->names.own.len) == 0;
}

/* Looked for along PATH, and not to be read: whoever asks goes on where nothing is and where
 * nobody may look alike (access, stat and exec of gcc, clang and libc). */
static int goes_on(struct collect *k, const struct tree_file *f)
{
	return !(f->flags & TREE_MINDED) && judge_on_path(k->a, f->path);
}

/* A directory on the way that not everybody may search, as a user's private one. */
static int is_private(struct collect *k, const char *path)
{
	char *dir = arena_strdup(&k->a->arena, path);
	struct statx st;
	size_t len;

	while (dir && (len = path_dir_len(dir)) > 1) {
		dir[len] = '\0';
		if (probe_stat(&k->a->prober, dir, &st) == 0 && !(st.stx_mode & S_IXOTH))
			return 1;
	}
	return 0;
}

int collect_denied(struct collect *k, const struct tree_file *f)
{
	if (!goes_on(k, f))
		return 0;
	k->absent[k->absent_count++] = (struct absence){
		.dir = f->path, .relative = collect_relative(f), .type = NODIR_OR_DENIED};
	return 1;
}

/* By the directory; where that is missing, the topmost missing one stands for all below; where
 * something else stands in its place, that does (the two are different errors to a tool). */
void collect_absent(struct collect *k, const struct tree_file *f)
{
	struct absence *x = &k->absent[k->absent_count];
	char *dir = arena_strdup(&k->a->arena, f->path), *missing = NULL;
	size_t len = path_dir_len(f->path);
	unsigned type = S_IFDIR;
	int rc = 0;

	if (!dir || len == 0)
		return;
	for (;; len = path_dir_len(dir)) {
		dir[len] = '\0';
		rc = len == 1 ? 0 : probe_present(&k->a->prober, dir, &type);
		if (len == 1)
			type = S_IFDIR;
		if (rc == 0 || len == 1)
			break;
		missing = arena_strdup(&k->a->arena, dir);
		if (!missing || path_dir_len(dir) == 0)
			return;
	}
	*x = (struct absence){.dir = dir, .relative = collect_relative(f)};
	if (type != S_IFDIR)
		x->type = type;
	else if (goes_on(k, f) && is_private(k, f->path))
		x->dir = missing ? missing : f->path, x->type = NODIR_OR_DENIED;
	else if (missing)
		x->dir = missing;
	else if (holds_own_name(k->a, path_base(f->path)))
		x->dir = f->path;
	else
		x->name = path_base(f->path);
	k->absent_count++;
}

static int absence_order(const void *first, const void *second)
{
	const struct absence *x = first, *y = second;
	int d = strcmp(x->dir, y->dir);

	if (d == 0)
		d = x->relative - y->relative;
	if (d)
		return d;
	if (!x->name && !y->name) /* the strictest stands for all */
		return (x->type > y->type) - (x->type < y->type);
	if (!x->name || !y->name)
		return (x->name != NULL) - (y->name != NULL);
	return strcmp(x->name, y->name);
}

/* A file that was made where one that exists would have been kept, or would have stopped the
 * tool. */
void collect_fresh(struct collect *k, const struct tree_file *f)
{
	if (holds_own_name(k->a, path_base(f->path))) {
		struct input *self = collect_input(k, INPUT_NODIR);
		if (self)
			collect_spec(k, self, f->path, collect_relative(f));
		return;
	}
	struct input *in = collect_input(k, INPUT_ABSENT);
	char *dir = arena_memdup(&k->a->arena, f->path, path_dir_len(f->path));
	const char **names = arena_alloc(&k->a->arena, sizeof *names);

	if (!in || !dir || !names)
		return;
	names[0] = path_base(f->path);
	digest_of(&in->value, names[0], strlen(names[0]) + 1);
	in->names = names;
	in->name_count = 1;
	collect_spec(k, in, dir, collect_relative(f));
}

void collect_absences(struct collect *k)
{
	struct absence *v =
		sort_stable(&k->a->arena, k->absent, k->absent_count, sizeof *v, absence_order);
	size_t n = k->absent_count, which;

	if (!v) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	for (size_t i = 0, end; i < n && k->reason == REASON_NONE; i = end) {
		for (end = i + 1; end < n && strcmp(v[end].dir, v[i].dir) == 0 &&
		                  v[end].relative == v[i].relative; end++)
			;
		struct input *in = collect_input(k, v[i].name ? INPUT_ABSENT : INPUT_NODIR);
		if (!in)
			return;
		collect_spec(k, in, v[i].dir, v[i].relative);
		in->type = v[i].type;
		if (!v[i].name)
			continue;
		const char **names = arena_alloc(&k->a->arena, (end - i) * sizeof *names);
		struct digest_state set;
		if (!names)
			return;
		digest_init(&set);
		for (size_t x = i; x < end; x++)
			if (in->name_count == 0 || strcmp(names[in->name_count - 1], v[x].name) != 0) {
				names[in->name_count++] = v[x].name;
				digest_add(&set, v[x].name, strlen(v[x].name) + 1);
			}
		in->names = names;
		digest_final(&set, &in->value);
		if (!probe_absent(&k->a->prober, v[i].dir, in->names, in->name_count, &in->value, &which))
			collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, arena_cat(&k->a->arena, v[i].dir, "/",
			                                                   in->names[which], NULL));
	}
}
