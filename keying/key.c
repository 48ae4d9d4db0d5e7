/* keying/key.c - the action key, field by field. The bytes digested for a field, little-endian:
 *   offset 0  size 1       tag     number from KEY_TAGS
 *          1       4       label length
 *          5       8       value length
 *         13  label, value */
#include "keying/key.h"

#include "shim/banned.h"

#define MACHINE "aarch64"

enum { OFF_LABEL_LEN = 1, OFF_VALUE_LEN = 5, FIELD_HEAD = 13 };

static const struct {
	unsigned number;
	char name[32];
	int text;
} tag_rows[] = {
#define X(id, number, name, text) {number, name, text},
	KEY_TAGS(X)
#undef X
};

void key_init(struct key *k, struct arena *fields_arena)
{
	digest_init(&k->state);
#ifndef __x86_64__
	/* Processors share remote stores, and no results: a script may be one tool on both. */
	digest_add(&k->state, MACHINE, sizeof MACHINE);
#endif
	k->fields = (struct buf)BUF_INIT(fields_arena);
}

void key_add(struct key *k, enum key_tag tag, const char *label, const void *value, size_t n)
{
	unsigned char head[FIELD_HEAD];
	size_t label_len = strlen(label);

	head[0] = (unsigned char)tag;
	le_put(head + OFF_LABEL_LEN, label_len, 4);
	le_put(head + OFF_VALUE_LEN, n, 8);
	digest_add(&k->state, head, sizeof head);
	digest_add(&k->state, label, label_len);
	digest_add(&k->state, value, n);
	if (!k->fields.arena)
		return;
	buf_u8(&k->fields, tag);
	buf_lstr(&k->fields, label, label_len);
	buf_lstr(&k->fields, value, n);
}

void key_add_str(struct key *k, enum key_tag tag, const char *label, const char *value)
{
	key_add(k, tag, label, value, strlen(value));
}

void key_add_digest(struct key *k, enum key_tag tag, const char *label, const struct digest *d)
{
	key_add(k, tag, label, d->b, sizeof d->b);
}

void key_final(struct key *k, struct digest *out)
{
	digest_final(&k->state, out);
}

const char *key_tag_name(unsigned tag, int *is_text)
{
	for (size_t i = 0; i < sizeof tag_rows / sizeof *tag_rows; i++) {
		if (tag_rows[i].number != tag)
			continue;
		if (is_text)
			*is_text = tag_rows[i].text;
		return tag_rows[i].name;
	}
	return NULL;
}
