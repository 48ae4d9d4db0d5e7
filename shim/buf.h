/* shim/buf.h - buf: a growing byte string in an arena; reader: bounded reading of hostile
 * bytes. THREAD. */
#pragma once

#include "shim/arena.h"

/* A growing byte string in an arena. A failed growth sets `failed`: then further calls do nothing
 * and the content must not be used, so check it once at the end. The bytes move as the string
 * grows. */
struct buf {
	struct arena *arena;
	unsigned char *data;
	size_t len, cap;
	int failed;
};
#define BUF_INIT(a) {(a), NULL, 0, 0, 0}

void buf_add(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, const char *s);         /* without its NUL */
void buf_u8(struct buf *b, unsigned v);
void buf_u16(struct buf *b, unsigned v);            /* little-endian, as in all our formats */
void buf_u32(struct buf *b, unsigned v);
void buf_u64(struct buf *b, unsigned long long v);
void buf_lstr(struct buf *b, const void *p, size_t n); /* u32 length, bytes, one NUL not counted */
/* Space for n more bytes: the caller fills it and then adds to len. NULL when refused. */
void *buf_reserve(struct buf *b, size_t n);

/* A bounded reader over bytes that may be hostile. The first read out of bounds sets `failed`; then
 * every call returns zero, "" or NULL, so check it once at the end. Nothing is copied. */
struct reader {
	const unsigned char *p, *end;
	int failed;
};
/* bytes may be NULL where n is 0. */
static inline struct reader reader_of(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	return (struct reader){p, n ? p + n : p, 0};
}
unsigned reader_u8(struct reader *r);
unsigned reader_u16(struct reader *r);
unsigned reader_u32(struct reader *r);
unsigned long long reader_u64(struct reader *r);
const void *reader_bytes(struct reader *r, size_t n);
/* Reads what buf_lstr wrote: a string inside the buffer that ends in NUL; *len may be NULL. */
const char *reader_lstr(struct reader *r, size_t *len);
/* The same, but a NUL inside is an error. */
const char *reader_text(struct reader *r);

/* Whole numbers of n bytes in our formats: little-endian. */

/* Returns the address after the written bytes. */
static inline unsigned char *le_put(unsigned char *p, unsigned long long v, int n)
{
	for (int i = 0; i < n; i++)
		*p++ = (unsigned char)(v >> 8 * i);
	return p;
}

static inline unsigned long long le_get(const unsigned char *p, int n)
{
	unsigned long long v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}
