/* shim/digest.c - digests in 32 bytes. XXH3-128:
 *   offset 0  size 16  hash   XXH3-128, canonical (big-endian) form
 *         16       15  zero
 *         31        1  algorithm, DIGEST_XXH3
 * BLAKE2b-256, without key, salt or personalisation (RFC 7693):
 *          0       32  hash */
#include "shim/digest.h"

#include <sodium/crypto_generichash_blake2b.h>
#define XXH_STATIC_LINKING_ONLY /* for the size of the state */
#include <xxhash.h>

#include "shim/ascii.h"

#include "shim/banned.h"

_Static_assert(sizeof(XXH3_state_t) <= sizeof ((struct digest_state *)0)->opaque,
               "room for XXH3's state");
_Static_assert(sizeof(crypto_generichash_blake2b_state) <=
               sizeof ((struct digest_state *)0)->opaque, "room for BLAKE2b's state");
_Static_assert(_Alignof(struct digest_state) >= _Alignof(XXH3_state_t), "aligned for XXH3's state");
_Static_assert(_Alignof(struct digest_state) >= _Alignof(crypto_generichash_blake2b_state),
               "aligned for BLAKE2b's state");
_Static_assert(sizeof(XXH128_canonical_t) == 16, "table above");

enum { OFF_ZERO = 16, OFF_ALGORITHM = DIGEST_SIZE - 1 };

/* 0 means XXH3, so that a process without trust does not write to this page. */
static int strong;

static void xxh3_fill(struct digest *out, XXH128_hash_t hash)
{
	XXH128_canonical_t bytes;

	XXH128_canonicalFromHash(&bytes, hash);
	memset(out, 0, sizeof *out);
	memcpy(out->b, bytes.digest, sizeof bytes.digest);
	out->b[OFF_ALGORITHM] = DIGEST_XXH3;
}

void digest_use(int algorithm)
{
	if (algorithm != digest_in_use())
		__atomic_store_n(&strong, algorithm == DIGEST_BLAKE2B, __ATOMIC_RELAXED);
}

int digest_in_use(void)
{
	return __atomic_load_n(&strong, __ATOMIC_RELAXED) ? DIGEST_BLAKE2B : DIGEST_XXH3;
}

int digest_algorithm(const struct digest *d)
{
	static const unsigned char mark[DIGEST_SIZE - OFF_ZERO] =
		{[OFF_ALGORITHM - OFF_ZERO] = DIGEST_XXH3};

	return memcmp(d->b + OFF_ZERO, mark, sizeof mark) == 0 ? DIGEST_XXH3 : DIGEST_BLAKE2B;
}

void digest_init(struct digest_state *s)
{
	digest_init_as(s, digest_in_use());
}

void digest_add(struct digest_state *s, const void *p, size_t n)
{
	if (!n)
		return;
	if (s->algorithm == DIGEST_XXH3)
		XXH3_128bits_update((XXH3_state_t *)s->opaque, p, n);
	else
		crypto_generichash_blake2b_update((crypto_generichash_blake2b_state *)s->opaque, p,
		                                  n);
}

void digest_final(struct digest_state *s, struct digest *out)
{
	if (s->algorithm == DIGEST_XXH3)
		xxh3_fill(out, XXH3_128bits_digest((XXH3_state_t *)s->opaque));
	else
		crypto_generichash_blake2b_final((crypto_generichash_blake2b_state *)s->opaque,
		                                 out->b, sizeof out->b);
}

void digest_of(struct digest *out, const void *p, size_t n)
{
	digest_of_as(digest_in_use(), out, p, n);
}

void digest_both(struct digest *out, const struct digest *x, const struct digest *y)
{
	unsigned char both[2 * DIGEST_SIZE];

	memcpy(both, x->b, DIGEST_SIZE);
	memcpy(both + DIGEST_SIZE, y->b, DIGEST_SIZE);
	digest_of(out, both, sizeof both);
}

void digest_init_as(struct digest_state *s, int algorithm)
{
	s->algorithm = algorithm;
	if (algorithm == DIGEST_XXH3)
		XXH3_128bits_reset((XXH3_state_t *)s->opaque);
	else
		crypto_generichash_blake2b_init((crypto_generichash_blake2b_state *)s->opaque, NULL,
		                                0, DIGEST_SIZE);
}

void digest_of_as(int algorithm, struct digest *out, const void *p, size_t n)
{
	if (algorithm == DIGEST_XXH3)
		xxh3_fill(out, XXH3_128bits(n ? p : "", n));
	else
		crypto_generichash_blake2b(out->b, sizeof out->b, n ? p : (const void *)"", n, NULL,
		                           0);
}

void digest_hex(const struct digest *d, char *out)
{
	for (int i = 0; i < DIGEST_SIZE; i++)
		ascii_put_hex(out + 2 * i, d->b[i], 2);
	out[DIGEST_HEX] = 0;
}

int digest_parse(struct digest *d, const char *hex)
{
	for (int i = 0; i < DIGEST_SIZE; i++) {
		int64_t byte = ascii_get_hex(hex + 2 * i, 2);

		if (byte < 0)
			return -1;
		d->b[i] = (unsigned char)byte;
	}
	return hex[DIGEST_HEX] ? -1 : 0;
}
