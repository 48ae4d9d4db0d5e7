/* shim/digest.h - fixed-length hash of bytes.
 *
 * 32 bytes for every algorithm, so that formats do not change with it. XXH3-128 fills the first 16 and
 * leaves DIGEST_XXH3 in the last byte, zeros between; BLAKE2b-256 fills all 32. What has XXH3's shape is taken for one: a
 * BLAKE2b digest has it once in 2^128, so it needs no mark of its own. Digests are compared whole, so two algorithms never
 * agree by accident.
 *
 * A process uses one for all that it keys and checks: XXH3, or BLAKE2b where signatures are made or asked for (a
 * signer must not be fed crafted collisions). digest_use says so once, when settings are known and before any digest.
 *
 * SIGNAL: pure functions of memory. */
#ifndef SHIM_DIGEST_H
#define SHIM_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGEST_SIZE 32
#define DIGEST_HEX (2 * DIGEST_SIZE) /* without NUL */
enum { DIGEST_XXH3 = 1, DIGEST_BLAKE2B = 2 };

struct digest {
	unsigned char b[DIGEST_SIZE];
};

/* A running digest; opaque, on the caller's stack (XXH3's state is 576 bytes, BLAKE2b's 384, both
 * 64-byte aligned). */
struct digest_state {
	_Alignas(64) unsigned char opaque[576];
	int algorithm;
};

/* Digests that run keep their algorithm. THREAD: where threads may say it (units/lookup.h, in a host) all of them say
 * the same. */
void digest_use(int algorithm);
int digest_in_use(void);
/* The one that made a digest, by its shape. */
int digest_algorithm(const struct digest *d);

void digest_init(struct digest_state *s);
void digest_add(struct digest_state *s, const void *p, size_t n);
void digest_final(struct digest_state *s, struct digest *out);
void digest_of(struct digest *out, const void *p, size_t n);
/* By an algorithm of the caller's: what was made by the other one can be checked, too. */
void digest_init_as(struct digest_state *s, int algorithm);
void digest_of_as(int algorithm, struct digest *out, const void *p, size_t n);
/* For names and checks of what all processes of a node share: XXH3 in every process. */
static inline void digest_name(struct digest *out, const void *p, size_t n)
{
	digest_of_as(DIGEST_XXH3, out, p, n);
}
/* What a slot of a table that processes of a node share ends with: torn by two writers, it fails. Native byte order. */
static inline uint64_t digest_check(const void *p, size_t n)
{
	struct digest d;
	uint64_t v;

	digest_name(&d, p, n);
	memcpy(&v, d.b, sizeof v);
	return v;
}
/* Lower-case hex and a NUL: out holds DIGEST_HEX + 1 bytes. */
void digest_hex(const struct digest *d, char *out);
/* 0, or -1 when the text is not exactly DIGEST_HEX lower-case hex digits. */
int digest_parse(struct digest *d, const char *hex);

static inline int digest_equal(const struct digest *a, const struct digest *b)
{
	return memcmp(a->b, b->b, DIGEST_SIZE) == 0;
}

#endif
