/* judge/input/duplicates.c - files of equal content that a tool may take for one file.
 *
 * For `#pragma once` and #import, gcc's preprocessor takes two files for one if their size, content
 * and second of modification are equal. clang compares device and inode, and ld does so for
 * libraries. A file's content does not show such relations, and they may differ on another machine.
 * So the input is the relation: which of the equal files share a time, and which are one file.
 *
 * The same holds for directories. If two directories of the include path are one, the compiler
 * leaves out the second and looks for nothing there. */
#include "judge/input/input.h"

#include "shim/sort.h"

#include "shim/banned.h"

struct duplicate {
	struct digest content;
	const char *spec;
};
struct stamp {
	uint64_t major, minor;
	uint32_t place; /* position among the equal files */
};

static int by_stamp(const void *first, const void *second)
{
	const struct stamp *x = first, *y = second;

	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	return (x->minor > y->minor) - (x->minor < y->minor);
}

/* Replaces each file's position by that of the first file with the same stamp. The digest takes the
 * positions in the order of the files. */
static int add_partition(struct arena *arena, struct stamp *v, size_t n, struct digest_state *to)
{
	uint32_t *same_as = arena_alloc(arena, n * sizeof *same_as);
	size_t first = 0;

	v = sort_stable(arena, v, n, sizeof *v, by_stamp);
	if (!v || !same_as)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (by_stamp(&v[first], &v[i]) != 0)
			first = i;
		same_as[v[i].place] = v[first].place;
	}
	digest_add(to, same_as, n * sizeof *same_as);
	return 0;
}

int judge_duplicates(struct start *s, const struct input *in, struct digest *value)
{
	size_t n = in->name_count;
	struct stamp *time = arena_alloc(&s->arena, n * sizeof *time);
	struct stamp *file = arena_alloc(&s->arena, n * sizeof *file);
	struct digest_state to;

	if (!time || !file)
		return -1;
	digest_init(&to);
	for (size_t i = 0; i < n; i++) {
		const char *spec = in->names[i];
		const char *path = names_resolve(&s->names, spec, strlen(spec), &s->arena);
		struct statx st;

		if (!path || probe_stat(&s->prober, path, &st) < 0)
			return -1;
		time[i] = (struct stamp){(uint64_t)st.stx_mtime.tv_sec, 0, (uint32_t)i};
		file[i] = (struct stamp){(uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor,
		                         st.stx_ino, (uint32_t)i};
		digest_add(&to, spec, strlen(spec) + 1);
	}
	if ((in->type & DUPLICATES_TIME && add_partition(&s->arena, time, n, &to) < 0) ||
	    (in->type & DUPLICATES_FILE && add_partition(&s->arena, file, n, &to) < 0))
		return -1;
	digest_final(&to, value);
	return 0;
}

static unsigned relations(const struct collect *k)
{
	if (k->start->row->flags & TOOL_TAKES_INODES)
		return DUPLICATES_FILE;
	/* A preprocessor that runs as a step is not among the processes. */
	if (start_nests(k->start))
		return DUPLICATES_FILE | DUPLICATES_TIME;
	for (size_t i = 0; i < k->t->process_count; i++)
		if (tool_takes_equal_files(k->t->process[i].program))
			return DUPLICATES_FILE | DUPLICATES_TIME;
	return DUPLICATES_FILE;
}

static int by_content(const void *first, const void *second)
{
	const struct duplicate *x = first, *y = second;
	int d = memcmp(&x->content, &y->content, sizeof x->content);

	return d ? d : strcmp(x->spec, y->spec);
}

/* The digest that all directories share. */
static struct digest directories(void)
{
	static const char name[] = "directories";
	struct digest d;

	digest_name(&d, name, sizeof name);
	return d;
}

/* The content of a file that is an input already. clang's precompiled headers name files that clang
 * looks at without reading them. */
static int content_of(struct collect *k, const struct input *in, struct digest *content)
{
	const char *path;

	if (input_is_content(in->kind)) {
		*content = in->value;
		return 0;
	}
	if (in->kind != INPUT_PRESENT)
		return -1;
	/* All directories: tools ask for their content by name. */
	if (in->type == S_IFDIR) {
		*content = directories();
		return 0;
	}
	if (!(k->start->row->flags & TOOL_TAKES_INODES) || in->type != S_IFREG)
		return -1;
	path = names_resolve(&k->start->names, in->spec, in->spec_len, &k->start->arena);
	return path ? probe_file(&k->start->prober, path, content, NULL) : -1;
}

/* Lists all files that may have duplicates, sorted by content; *n is their number. */
static struct duplicate *all_files(struct collect *k, size_t *n)
{
	struct start *s = k->start;
	struct duplicate *v = arena_alloc(&s->arena,
	                                  (k->c->count + s->primaries.count + 1) * sizeof *v);

	*n = 0;
	if (!v)
		return NULL;
	for (size_t i = 0; i < k->c->count; i++)
		if (content_of(k, &k->c->v[i], &v[*n].content) == 0)
			v[(*n)++].spec = k->c->v[i].spec;
	for (size_t i = 0; i < s->primaries.count; i++) {
		struct buf spec = BUF_INIT(&s->arena);

		if (s->primaries.v[i].response)
			continue;
		names_path(&s->names, s->primaries.v[i].path, &spec); /* as it is keyed */
		buf_u8(&spec, 0);
		if (spec.failed)
			return NULL;
		/* The key leaves out trailing comments, which decide whether files are equal. gcc
		 * opens the file again to compare it, and then its bytes are an input. */
		v[(*n)++] = (struct duplicate){s->primaries.v[i].content, (const char *)spec.data};
	}
	return sort_stable(&s->arena, v, *n, sizeof *v, by_content);
}

/* All files of v have the same content. */
static void add_duplicates(struct collect *k, const struct duplicate *v, size_t n, unsigned type)
{
	const char **names = arena_alloc(&k->start->arena, n * sizeof *names);
	struct input *in;
	size_t count = 0;

	if (!names) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (count == 0 || strcmp(names[count - 1], v[i].spec) != 0)
			names[count++] = v[i].spec;
	if (count < 2)
		return;
	in = collect_input(k, INPUT_DUPLICATES);
	if (!in)
		return;
	in->type = type;
	in->names = names;
	in->name_count = count;
	if (judge_duplicates(k->start, in, &in->value) < 0)
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED,
		               names_print(names[0], strlen(names[0]), &k->start->arena));
}

void collect_duplicates(struct collect *k)
{
	unsigned type = relations(k);
	struct digest dir = directories();
	size_t n;
	struct duplicate *v = all_files(k, &n);

	if (!v)
		k->reason = REASON_UNSTORED_INPUTS_MANY;
	for (size_t i = 0, end; v && i < n && k->reason == REASON_NONE; i = end) {
		for (end = i + 1; end < n && digest_equal(&v[end].content, &v[i].content); end++)
			;
		if (end - i > 1)
			add_duplicates(k, v + i, end - i,
			               digest_equal(&v[i].content, &dir) ? DUPLICATES_FILE : type);
	}
}
