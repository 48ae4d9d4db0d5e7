/* trace/files.c - the paths of a tree, and its memory. */
#include "trace/files.h"

#include <string.h>

#include <xxhash.h>

#include "shim/path.h"

#include "shim/banned.h"

/* Room at first, besides the expected paths. */
#define FILES_FIRST 64
/* The first index. Most trees have some hundred paths. */
#define INDEX_FIRST 2048

/* The slot of a path, or the free slot for it. */
static struct index_slot *slot_of(const struct tree *t, const char *path, uint32_t hash)
{
	struct index_slot *s = index_table_first(&t->index, hash);

	while (s->place && (s->hash != hash || strcmp(t->file[s->place - 1].path, path) != 0))
		s = index_table_next(&t->index, s);
	return s;
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
	tree_refuse(t, REASON_UNSTORED_TRACE, "the system refused memory");
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
	uint32_t hash = (uint32_t)XXH3_64bits(path, strlen(path));
	uint32_t at = t->count ? slot_of(t, path, hash)->place : 0;

	return at ? &t->file[at - 1] : NULL;
}

struct tree_file *tree_file_of(struct tree *t, const char *path, size_t len, int relative)
{
	char tidy[PATH_SIZE];
	struct tree_file *f;
	struct index_slot *slot;
	uint32_t hash;

	if (t->failed)
		return NULL;
	if (len >= sizeof tidy) {
		tree_refuse(t, REASON_UNSTORED_TRACE, "a path is longer than the kernel accepts");
		return NULL;
	}
	memcpy(tidy, path, len + 1);
	len = path_tidy(tidy);
	if (index_table_room(&t->index, INDEX_FIRST, t->arena) < 0)
		goto fail;
	hash = (uint32_t)XXH3_64bits(tidy, len);
	slot = slot_of(t, tidy, hash);
	if (slot->place) {
		f = &t->file[slot->place - 1];
	} else {
		if (t->count >= TREE_FILES_MAX)
			goto fail;
		if (t->count == t->cap) {
			if (!arena_room(t->arena, t->file, t->count, &t->cap,
			                FILES_FIRST + t->expected))
				goto fail;
		}
		f = &t->file[t->count];
		memset(f, 0, sizeof *f);
		f->path = arena_strdup(t->arena, tidy);
		if (!f->path)
			goto fail;
		index_table_take(&t->index, slot, hash);
		t->count++;
	}
	f->flags |= relative ? TREE_RELATIVE : TREE_ABSOLUTE;
	return f;
fail:
	t->failed = 1;
	tree_refuse(t, REASON_UNSTORED_INPUTS_MANY,
	            "the run used more paths than an entry can hold");
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
