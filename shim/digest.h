/* shim/digest.h - fixed-length hash of bytes.
 *
 * 32 bytes for every algorithm, so that formats do not change with it: XXH3-128 fills the first 16
 * and leaves DIGEST_XXH3 in the last byte, zeros between. A stronger algorithm has another last byte.
 * Digests are compared whole, so two algorithms never agree by accident.
 *
 * SIGNAL: pure functions of memory. */
#ifndef SHIM_DIGEST_H
#define SHIM_DIGEST_H

#include <stddef.h>
#include <string.h>

#define DIGEST_SIZE 32
#define DIGEST_HEX (2 * DIGEST_SIZE) /* without NUL */
enum { DIGEST_XXH3 = 1 };

struct digest {
	unsigned char b[DIGEST_SIZE];
};

/* A running digest; opaque, on the caller's stack (XXH3's state is 576 bytes, 64-byte aligned). */
struct digest_state {
	_Alignas(64) unsigned char opaque[640];
};
void digest_init(struct digest_state *s);
void digest_add(struct digest_state *s, const void *p, size_t n);
void digest_final(struct digest_state *s, struct digest *out);
void digest_of(struct digest *out, const void *p, size_t n);
/* Lower-case hex and a NUL: out holds DIGEST_HEX + 1 bytes. */
void digest_hex(const struct digest *d, char *out);
/* 0, or -1 when the text is not exactly DIGEST_HEX lower-case hex digits. */
int digest_parse(struct digest *d, const char *hex);

static inline int digest_equal(const struct digest *a, const struct digest *b)
{
	return memcmp(a->b, b->b, DIGEST_SIZE) == 0;
}
static inline int digest_is_zero(const struct digest *d)
{
	static const struct digest zero;
	return digest_equal(d, &zero);
}

#endif
