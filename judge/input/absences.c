/* judge/input/absences.c - absent paths, grouped by directory. */
#include "judge/input/input.h"

#include "keying/probe_dir.h"
#include "names/name_shape.h"
#include "shim/sort.h"

#include "shim/banned.h"

/* An absent path, split at its directory. */
struct absence {
	const char *dir, *name; /* name NULL: dir itself is missing, or of another type */
	int relative;
	unsigned type;
};

int collect_absences_init(struct collect *k)
{
	k->absent = arena_alloc(&k->start->arena, (k->t->count + 1) * sizeof *k->absent);
	return k->absent ? 0 : -1;
}

/* The names in a group are stored literally. A path with a name of the start is stored as a spec,
 * so that the next start asks for it under its own name. */
static int holds_own_name(const struct names *names, const char *name)
{
	for (int i = 0; i < names->count; i++)
		if (strncmp(name, names->v[i].text, names->v[i].len) == 0)
			return 1;
	return names->own.len && strncmp(name, names->own.text, names->own.len) == 0;
}

/* A search along PATH met a file that may not be read. The search goes on in both cases: if the
 * file is absent, and if access to it is denied. access, stat and exec do so in gcc, clang and
 * libc. */
static int goes_on(struct collect *k, const struct tree_file *f)
{
	return !(f->flags & TREE_MINDED) &&
	       judge_on_path(&k->start->call, f->path, &k->start->arena);
}

/* 1: a directory on the way, such as a user's private directory, does not let everybody search
 * it. */
static int is_private(struct collect *k, const char *path)
{
	char *dir = arena_strdup(&k->start->arena, path);
	struct statx st;
	size_t len;

	while (dir && (len = path_dir_len(dir)) > 1) {
		dir[len] = '\0';
		if (probe_stat(&k->start->prober, dir, &st) == 0 && !(st.stx_mode & S_IXOTH))
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

/* An absent path is grouped by its directory. If the directory is missing, the topmost missing
 * directory represents all paths below it. If a file stands in the directory's place, that file
 * does, since a tool gets another error. */
void collect_absent(struct collect *k, const struct tree_file *f)
{
	struct absence *x = &k->absent[k->absent_count];
	char *dir = arena_strdup(&k->start->arena, f->path), *missing = NULL;
	size_t len = path_dir_len(f->path);
	unsigned type = S_IFDIR;
	int rc = 0;

	if (!dir || len == 0)
		return;
	for (;; len = path_dir_len(dir)) {
		dir[len] = '\0';
		rc = len == 1 ? 0 : probe_present(&k->start->prober, dir, &type);
		if (len == 1)
			type = S_IFDIR;
		if (rc == 0 || len == 1)
			break;
		missing = arena_strdup(&k->start->arena, dir);
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
	else if (holds_own_name(&k->start->names, path_base(f->path)))
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
	if (!x->name && !y->name) /* the strictest type comes first and represents all */
		return (x->type > y->type) - (x->type < y->type);
	if (!x->name || !y->name)
		return (x->name != NULL) - (y->name != NULL);
	return strcmp(x->name, y->name);
}

int collect_came_and_went(struct collect *k, const struct tree_file *f)
{
	const unsigned states = TREE_MADE | TREE_GONE | TREE_EXISTED | TREE_UNLINKED;
	const char *base = path_base(f->path), *dir;
	const struct tree_file *in;

	if ((f->flags & states) != (TREE_MADE | TREE_GONE) || !f->is_chosen ||
	    name_xft_len(base, strlen(base)) || name_is_scratch(base, strlen(base)) ||
	    name_is_volatile(base, name_token(base, strlen(base))))
		return 0;
	dir = arena_memdup(&k->start->arena, f->path, path_dir_len(f->path));
	in = dir ? tree_find(k->t, dir) : NULL;
	return dir && (!in || !(in->flags & TREE_MADE));
}

/* The tree made this file. If a file had existed there, the tree would have kept it or stopped. */
void collect_fresh(struct collect *k, const struct tree_file *f)
{
	if (holds_own_name(&k->start->names, path_base(f->path))) {
		struct input *self = collect_input(k, INPUT_NODIR);
		if (self)
			collect_spec(k, self, f->path, collect_relative(f));
		return;
	}
	struct input *in = collect_input(k, INPUT_ABSENT);
	char *dir = arena_memdup(&k->start->arena, f->path, path_dir_len(f->path));
	const char **names = arena_alloc(&k->start->arena, sizeof *names);

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
		sort_stable(&k->start->arena, k->absent, k->absent_count, sizeof *v, absence_order);
	size_t n = k->absent_count, which;

	if (!v) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	for (size_t i = 0, end; i < n && k->reason == REASON_NONE; i = end) {
		for (end = i + 1;
		     end < n && strcmp(v[end].dir, v[i].dir) == 0 &&
		     v[end].relative == v[i].relative; end++)
			;
		struct input *in = collect_input(k, v[i].name ? INPUT_ABSENT : INPUT_NODIR);
		if (!in)
			return;
		collect_spec(k, in, v[i].dir, v[i].relative);
		in->type = v[i].type;
		if (!v[i].name)
			continue;
		const char **names = arena_alloc(&k->start->arena, (end - i) * sizeof *names);
		struct digest_state set;
		if (!names)
			return;
		digest_init(&set);
		for (size_t x = i; x < end; x++)
			if (in->name_count == 0 ||
			    strcmp(names[in->name_count - 1], v[x].name) != 0) {
				names[in->name_count++] = v[x].name;
				digest_add(&set, v[x].name, strlen(v[x].name) + 1);
			}
		in->names = names;
		digest_final(&set, &in->value);
		if (!probe_absent(&k->start->prober, v[i].dir, in->names, in->name_count,
		                  &in->value, &which))
			collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED,
			               arena_cat(&k->start->arena, v[i].dir, "/",
			                         in->names[which], NULL));
	}
}
