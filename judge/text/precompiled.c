/* judge/text/precompiled.c - an entry of class TEXTS: the texts of a precompiled header.
 *
 * The payload is little-endian. The digest of the header's content makes the key. A second entry
 * with the same payload says that the list was made; the digest of the result makes its key.
 *   options: u32 length, the bytes, NUL
 *   u32      texts: each a path (u32 length, the bytes, NUL) and 32 bytes, the digest of its
 *            content */
#include "judge/text/text.h"

#include <string.h>

#include "shim/buf.h"
#include "tools/asks/definitions.h"
#include "tools/cmdline/language.h"

#include "shim/banned.h"

/* The length and NUL of a path, and a digest. */
#define TEXT_LEAST (5 + DIGEST_SIZE)

static void texts_key(const struct digest *made, struct digest *key)
{
	struct key k;

	key_init(&k, NULL);
	key_add_digest(&k, KEY_CANDIDATE, "texts", made);
	key_final(&k, key);
}

static void add(struct start *s, struct buf *list, unsigned *count, const char *path,
                const struct digest *content)
{
	if (path && path[0] != '/')
		path = arena_cat(&s->arena, s->call.cwd, "/", path, NULL);
	if (!path) {
		list->failed = 1;
		return;
	}
	buf_lstr(list, path, strlen(path));
	buf_add(list, content->b, DIGEST_SIZE);
	++*count;
}

int precompiled_recorded(struct start *s, const struct candidate *c)
{
	struct digest key;
	struct entry e;

	texts_key(&c->result, &key);
	return store_get(&s->store, STORE_TEXTS, &key, 0, &e, &s->arena,
	                 &s->verdict.fault) == ENTRY_OK;
}

void precompiled_record(struct start *s, const struct candidate *c, const struct digest *made,
                        size_t made_count)
{
	const char *options = definitions_lines(&s->cmd, &s->arena, NULL);
	struct buf list = BUF_INIT(&s->arena), payload = BUF_INIT(&s->arena);
	struct digest key;
	unsigned count = 0;

	for (size_t i = 0; i < s->primaries.count; i++)
		if (!s->primaries.v[i].response)
			add(s, &list, &count, s->primaries.v[i].path, &s->primaries.v[i].content);
	for (size_t i = 0; i < c->count; i++)
		if (input_is_content(c->v[i].kind))
			add(s, &list, &count,
			    names_resolve(&s->names, c->v[i].spec, c->v[i].spec_len, &s->arena),
			    &c->v[i].value);
	if (!options || list.failed)
		return;
	buf_lstr(&payload, options, strlen(options));
	buf_u32(&payload, count);
	buf_add(&payload, list.data, list.len);
	/* The result's comes last: it says that the others are there. */
	for (size_t i = 0; i <= made_count && !payload.failed; i++) {
		texts_key(i < made_count ? &made[i] : &c->result, &key);
		store_put(&s->store, STORE_TEXTS, &key, 0, payload.data, payload.len,
		          &s->verdict.fault);
	}
}

int precompiled_texts(struct precompiled *p, struct start *s, const struct digest *made,
                      struct arena *arena)
{
	struct digest key;
	struct reader r;
	struct entry e;

	texts_key(made, &key);
	if (store_get(&s->store, STORE_TEXTS, &key, 0, &e, arena, &s->verdict.fault) != ENTRY_OK)
		return -1;
	store_touch(&s->store, STORE_TEXTS, &key, 0, &e);
	r = (struct reader){e.payload, e.payload + e.len, 0};
	p->options = reader_text(&r);
	p->count = reader_u32(&r);
	if (r.failed || p->count > e.len / TEXT_LEAST)
		return -1;
	p->v = arena_alloc(arena, (p->count + 1) * sizeof *p->v);
	for (size_t i = 0; p->v && i < p->count; i++) {
		const void *content;

		p->v[i].path = reader_text(&r);
		content = reader_bytes(&r, DIGEST_SIZE);
		if (!content)
			return -1;
		memcpy(p->v[i].content.b, content, DIGEST_SIZE);
	}
	return p->v && !r.failed && r.p == r.end ? 0 : -1;
}
