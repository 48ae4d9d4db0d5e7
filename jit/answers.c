/* jit/answers.c - a library's stored answers about a compiled program. */
#include "jit/answers.h"

#include <string.h>

#include "shim/banned.h"

void answers_add(struct answers *a, const struct answer *one)
{
	struct answer *v = a->count < ANSWERS_MAX
		? arena_grow(a->arena, a->v, a->count, &a->cap, sizeof *v, 16) : NULL;

	if (!v) {
		a->failed = 1;
		return;
	}
	a->v = v;
	a->v[a->count++] = *one;
}

void answers_encode(struct buf *out, const struct answers *a)
{
	buf_u8(out, ANSWERS_FORMAT);
	buf_u32(out, (unsigned)a->status);
	buf_u32(out, a->count);
	for (unsigned i = 0; i < a->count; i++) {
		const struct answer *one = &a->v[i];

		buf_u8(out, one->kind);
		buf_lstr(out, one->name, strlen(one->name));
		buf_u32(out, (unsigned)one->status);
		buf_u8(out, one->there != 0);
		buf_lstr(out, one->value, one->len);
	}
	if (a->failed)
		out->failed = 1;
}

int answers_decode(struct answers *a, const void *bytes, size_t n, struct arena *arena)
{
	struct reader r = reader_of(bytes, n);
	unsigned count;

	*a = (struct answers){.arena = arena};
	if (reader_u8(&r) != ANSWERS_FORMAT)
		return -1;
	a->status = (int)reader_u32(&r);
	count = reader_u32(&r);
	if (r.failed || count > ANSWERS_MAX)
		return -1;
	for (unsigned i = 0; i < count; i++) {
		struct answer one = {0};

		one.kind = (enum answer_kind)reader_u8(&r);
		one.name = reader_text(&r);
		one.status = (int)reader_u32(&r);
		one.there = reader_u8(&r) != 0;
		one.value = reader_lstr(&r, &one.len);
		if (r.failed || !one.name || !one.value || one.kind < ANSWER_DATA ||
		    one.kind > ANSWER_VALUE)
			return -1;
		/* The caller was told no size for such a product, so it may have room for the end
		 * of a text only. */
		if (one.kind == ANSWER_EMPTY && (one.len > 1 || (one.len && one.value[0])))
			return -1;
		answers_add(a, &one);
	}
	return r.p == r.end && !a->failed ? 0 : -1;
}

const struct answer *answers_find(const struct answers *a, enum answer_kind kind, const char *name)
{
	for (unsigned i = 0; i < a->count; i++)
		if (a->v[i].kind == kind && strcmp(a->v[i].name, name) == 0)
			return &a->v[i];
	return NULL;
}
