/* tools/cmdline/input_text.c - what the engine does with a text whose names do not belong to the
 * key. */
#include "tools/cmdline/input_text.h"

#include <stdint.h>
#include <string.h>

#include "shim/buf.h"
#include "shim/path.h"

#include "shim/banned.h"

/* Bytes that Triton's PTX without its names seldom holds, the rarest first (counted; a slash occurs
 * 20 times in a thousand). A search that stops at these runs at memchr's speed. */
static const char rare[] = "~QKYZJjXUVz=qHPNISGCk-ERyBOMFwTxh@LW+Avucfg";

static void put_uleb128(struct buf *b, unsigned long long v)
{
	for (; v >= 0x80; v >>= 7)
		buf_u8(b, (unsigned)(v & 0x7f) | 0x80);
	buf_u8(b, (unsigned)v);
}

/* A line of the table of files in DWARF 2: file name, 0, directory, time and size. ptxas enters 32
 * bits of the time. Where it has more, the entry gets a length that no other entry has. */
static void put_entry(struct buf *b, const struct input_source *s, long long mtime,
                      unsigned long long size)
{
	static const char odd[16];
	const char *base = path_base(s->path);

	buf_add(b, base, strlen(base) + 1);
	put_uleb128(b, s->directory);
	put_uleb128(b, (unsigned long long)mtime);
	put_uleb128(b, size);
	if (mtime != (long long)(uint32_t)mtime)
		buf_add(b, odd, sizeof odd);
}

/* The bytes hold the source's entry, or one with zeros. */
static int holds_entry(const struct input_source *s, const void *data, size_t n)
{
	struct arena a = ARENA_INIT;
	struct buf entry = BUF_INIT(&a);
	int holds;

	put_entry(&entry, s, s->mtime, s->size);
	holds = !entry.failed && memmem(data, n, entry.data, entry.len);
	entry.len = 0;
	put_entry(&entry, s, 0, 0);
	holds |= !entry.failed && memmem(data, n, entry.data, entry.len);
	arena_free(&a);
	return holds;
}

/* The same for each source of this path. */
static int holds_one(const struct input_text *x, const char *path, const void *data, size_t n)
{
	for (int i = 0; i < x->source_count; i++)
		if (strcmp(x->sources[i].path, path) == 0 &&
		    holds_entry(&x->sources[i], data, n))
			return 1;
	return 0;
}

/* Not more than one name in the bytes ends with this one. */
static int stands_once(const char *base, const void *data, size_t n)
{
	size_t len = strlen(base) + 1;
	const char *at = memmem(data, n, base, len);

	return !at || !memmem(at + 1, (size_t)((const char *)data + n - at - 1), base, len);
}

/* --- public, in header order --- */

int input_text_stands_in(const void *text, size_t n, const char *name, size_t len)
{
	const char *p = text, *end = p + n, *key = NULL;
	size_t at;

	for (const char *r = rare; *r && !key; r++)
		key = memchr(name, *r, len);
	if (!key)
		return memmem(text, n, name, len) != NULL;
	at = (size_t)(key - name);
	while ((size_t)(end - p) >= len &&
	       (p = memchr(p + at, *key, (size_t)(end - p) - len + 1))) {
		if (memcmp(p - at, name, len) == 0)
			return 1;
		p = p - at + 1;
	}
	return 0;
}

int input_text_mentions(const struct input_text *x, const char *text, size_t len)
{
	return input_text_stands_in(x->blanked, x->blanked_len, text, len);
}

int input_text_keep(struct input_text *x, struct arena *a)
{
	for (int i = 0; i < x->count; i++)
		if (!(x->names[i].text = arena_memdup(a, x->names[i].text, x->names[i].len)))
			return -1;
	for (int i = 0; i < x->source_count; i++)
		if (!(x->sources[i].path = arena_strdup(a, x->sources[i].path)))
			return -1;
	return 0;
}

int input_text_source_of(const struct input_text *x, const char *path)
{
	for (int i = 0; i < x->source_count; i++)
		if (strcmp(x->sources[i].path, path) == 0)
			return i;
	return -1;
}

int input_text_enter(struct input_text *x, int i, struct arena *a)
{
	const struct input_source *source = &x->sources[i];
	struct patch_name *name = &x->names[x->count];
	struct buf entry = BUF_INIT(a);

	put_entry(&entry, source, source->mtime, source->size);
	if (entry.failed)
		return -1;
	name->kind = NAME_KIND_TEXT;
	name->index = (unsigned char)(INPUT_TEXT_SOURCES_MAX + i);
	name->text = (const char *)entry.data;
	name->len = entry.len;
	x->count++;
	return 0;
}

int input_text_entries_hold(const struct input_text *x, const void *data, size_t n)
{
	for (int i = 0; n && i < x->count; i++) {
		const struct patch_name *name = &x->names[i];
		int source = name->index - INPUT_TEXT_SOURCES_MAX;

		if (source >= 0 && x->unnumbered && !stands_once(name->text, data, n))
			return 0;
		if (source < 0 || !(x->asked >> source & 1))
			continue;
		if (memmem(data, n, name->text, strlen(name->text) + 1) &&
		    !holds_one(x, x->sources[source].path, data, n))
			return 0;
	}
	return 1;
}
