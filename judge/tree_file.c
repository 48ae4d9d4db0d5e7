/* judge/tree_file.c - the paths of a tree, and its memory. */
#include "judge/tree_file.h"

#include <string.h>

#include "shim/path.h"

#include "shim/banned.h"

static uint64_t hash(const char *s)
{
	uint64_t h = 1469598103934665603ull;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211ull;
	return h;
}

static int grow_index(struct tree *t)
{
	size_t cap = t->index_cap ? 2 * t->index_cap : 4096;
	uint32_t *index = arena_alloc(t->arena, cap * sizeof *index);

	if (!index)
		return -1;
	for (size_t i = 0; i < t->count; i++) {
		size_t at = hash(t->file[i].path) & (cap - 1);

		while (index[at])
			at = (at + 1) & (cap - 1);
		index[at] = (uint32_t)i + 1;
	}
	t->index = index;
	t->index_cap = cap;
	return 0;
}

static uint32_t *place_of(struct tree *t, const char *path)
{
	size_t at = hash(path) & (t->index_cap - 1);

	while (t->index[at] && strcmp(t->file[t->index[at] - 1].path, path) != 0)
		at = (at + 1) & (t->index_cap - 1);
	return &t->index[at];
}

void tree_refuse(struct tree *t, enum reason reason, const char *detail)
{
	if (t->reason == REASON_NONE) {
		t->reason = reason;
		t->detail = detail;
	}
}

void tree_no_memory(struct tree *t)
{
	t->failed = 1;
	tree_refuse(t, REASON_UNSTORED_TRACE, "memory");
}

const char *tree_copy(struct tree *t, const char *text)
{
	const char *out = arena_strdup(t->arena, text);

	if (!out)
		tree_no_memory(t);
	return out ? out : "";
}

struct tree_file *tree_find(struct tree *t, const char *path)
{
	uint32_t at = t->index_cap ? *place_of(t, path) : 0;

	return at ? &t->file[at - 1] : NULL;
}

struct tree_file *tree_file_of(struct tree *t, const char *path, size_t len, int relative)
{
	char tidy[PATH_SIZE];
	struct tree_file *f;
	uint32_t *place;

	if (t->failed)
		return NULL;
	if (len >= sizeof tidy) {
		tree_refuse(t, REASON_UNSTORED_TRACE, "a path longer than the kernel takes");
		return NULL;
	}
	memcpy(tidy, path, len + 1);
	path_tidy(tidy);
	if (t->count * 2 >= t->index_cap && grow_index(t) < 0)
		goto fail;
	place = place_of(t, tidy);
	if (*place) {
		f = &t->file[*place - 1];
	} else {
		if (t->count >= TREE_FILES_MAX)
			goto fail;
		if (t->count == t->cap) {
			void *v = arena_grow(t->arena, t->file, t->count, &t->cap, sizeof *t->file,
			                     64);

			if (!v)
				goto fail;
			t->file = v;
		}
		f = &t->file[t->count];
		memset(f, 0, sizeof *f);
		f->path = arena_strdup(t->arena, tidy);
		if (!f->path)
			goto fail;
		*place = (uint32_t)++t->count;
	}
	f->flags |= relative ? TREE_RELATIVE : TREE_ABSOLUTE;
	return f;
fail:
	t->failed = 1;
	tree_refuse(t, REASON_UNSTORED_INPUTS_MANY, "more paths than a manifest holds");
	return NULL;
}

/* The path led to two files, so no present content is the content that the tree has read. */
void tree_identity(struct tree *t, struct tree_file *f, unsigned identity)
{
	if (identity && f->identity && f->identity != identity)
		tree_refuse(t, REASON_UNSTORED_INPUT_CHANGED, f->path);
	if (identity)
		f->identity = identity;
}
