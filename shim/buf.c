/* shim/buf.c - buf: a growing byte string in an arena; reader: bounded reading of hostile bytes. */
#include "shim/buf.h"

#include <stdint.h>
#include <string.h>

#include "shim/banned.h"

/* --- le --- */

/* First size: most buffers (a spec, a path) never grow. */
#define BUF_FIRST 256u

static void buf_le(struct buf *b, unsigned long long v, int bytes)
{
	unsigned char *p = buf_reserve(b, (size_t)bytes);

	if (!p)
		return;
	le_put(p, v, bytes);
	b->len += (size_t)bytes;
}

void *buf_reserve(struct buf *b, size_t n)
{
	size_t cap;
	unsigned char *data;

	if (b->failed)
		return NULL;
	if (n <= b->cap - b->len)
		return b->data ? b->data + b->len : (b->data = arena_alloc(b->arena, 1));
	if (n > PTRDIFF_MAX / 2 - b->len) {
		b->failed = 1;
		return NULL;
	}
	cap = b->cap ? 2 * b->cap : BUF_FIRST;
	if (cap < b->len + n)
		cap = b->len + n;
	data = arena_alloc(b->arena, cap);
	if (!data) {
		b->failed = 1;
		return NULL;
	}
	if (b->len)
		memcpy(data, b->data, b->len);
	b->data = data;
	b->cap = cap;
	return data + b->len;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	void *to = buf_reserve(b, n);

	if (!to || !n)
		return;
	memcpy(to, p, n);
	b->len += n;
}

void buf_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_u8(struct buf *b, unsigned v)
{
	buf_le(b, v, 1);
}

void buf_u16(struct buf *b, unsigned v)
{
	buf_le(b, v, 2);
}

void buf_u32(struct buf *b, unsigned v)
{
	buf_le(b, v, 4);
}

void buf_u64(struct buf *b, unsigned long long v)
{
	buf_le(b, v, 8);
}

void buf_lstr(struct buf *b, const void *p, size_t n)
{
	if (n > UINT32_MAX) {
		b->failed = 1;
		return;
	}
	buf_u32(b, (unsigned)n);
	buf_add(b, p, n);
	buf_u8(b, 0);
}

const void *reader_bytes(struct reader *r, size_t n)
{
	const void *p = r->p;

	if (r->failed || n > (size_t)(r->end - r->p)) {
		r->failed = 1;
		return NULL;
	}
	r->p += n;
	return p;
}

static unsigned long long reader_le(struct reader *r, int bytes)
{
	const unsigned char *p = reader_bytes(r, (size_t)bytes);

	return p ? le_get(p, bytes) : 0;
}

unsigned reader_u8(struct reader *r)
{
	return (unsigned)reader_le(r, 1);
}

unsigned reader_u16(struct reader *r)
{
	return (unsigned)reader_le(r, 2);
}

unsigned reader_u32(struct reader *r)
{
	return (unsigned)reader_le(r, 4);
}

unsigned long long reader_u64(struct reader *r)
{
	return reader_le(r, 8);
}

const char *reader_lstr(struct reader *r, size_t *len)
{
	size_t n = reader_u32(r);
	const char *s;

	if (len)
		*len = 0;
	/* n + 1 cannot wrap: size_t has 64 bits. */
	s = reader_bytes(r, n + 1);
	if (!s || s[n]) {
		r->failed = 1;
		return "";
	}
	if (len)
		*len = n;
	return s;
}

const char *reader_text(struct reader *r)
{
	size_t n;
	const char *s = reader_lstr(r, &n);

	if (strlen(s) != n)
		r->failed = 1;
	return s;
}
