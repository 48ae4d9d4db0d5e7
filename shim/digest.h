/* shim/digest.h - fixed-length hash of bytes.
 *
 * Digests of every algorithm have 32 bytes, so formats do not depend on the algorithm. XXH3-128
 * fills the first 16 bytes and leaves DIGEST_XXH3 in the last one, with zeros between; BLAKE2b-256
 * fills all 32. A digest of XXH3's shape is taken for XXH3: a BLAKE2b digest has that shape once in
 * 2^128, so it needs no mark. Digests are compared whole, so two algorithms never agree by
 * accident.
 *
 * A process uses one algorithm for everything that it keys and checks. That is XXH3, or BLAKE2b if
 * signatures are made or required: crafted collisions must not reach a signer. digest_use selects
 * the algorithm once, after the settings are known and before any digest.
 *
 * SIGNAL: pure functions of memory. */
#pragma once

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

/* Digests in progress keep their algorithm. THREAD: if several threads call it
 * (units/find/unit_lookup.h, in a host), all pass the same. */
void digest_use(int algorithm);
int digest_in_use(void);
/* The algorithm that made a digest, by its shape. */
int digest_algorithm(const struct digest *d);

void digest_init(struct digest_state *s);
void digest_add(struct digest_state *s, const void *p, size_t n);
void digest_final(struct digest_state *s, struct digest *out);
void digest_of(struct digest *out, const void *p, size_t n);
/* Of both, in this order. */
void digest_both(struct digest *out, const struct digest *x, const struct digest *y);
/* Use a given algorithm, for example to check a digest that another process made. */
void digest_init_as(struct digest_state *s, int algorithm);
void digest_of_as(int algorithm, struct digest *out, const void *p, size_t n);
/* For names and checks that all processes of a node share: XXH3 in every process. */
static inline void digest_name(struct digest *out, const void *p, size_t n)
{
	digest_of_as(DIGEST_XXH3, out, p, n);
}
/* Last word of a slot in a table that processes of a node share: a slot torn by two writers fails
 * it. Native byte order. */
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
/* 0, or -1 if the text is not exactly DIGEST_HEX lower-case hex digits. */
int digest_parse(struct digest *d, const char *hex);

static inline int digest_equal(const struct digest *a, const struct digest *b)
{
	return memcmp(a->b, b->b, DIGEST_SIZE) == 0;
}
