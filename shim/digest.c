/* shim/digest.c - XXH3-128 in 32 bytes.
 *   offset 0  size 16  hash   XXH3-128, canonical (big-endian) form
 *         16       15  zero
 *         31        1  algorithm, DIGEST_XXH3 */
#include "shim/digest.h"

#define XXH_STATIC_LINKING_ONLY /* for the size of the state */
#include <xxhash.h>

#include "shim/banned.h"

_Static_assert(sizeof(XXH3_state_t) <= sizeof(struct digest_state), "room for XXH3's state");
_Static_assert(_Alignof(struct digest_state) >= _Alignof(XXH3_state_t), "aligned for XXH3's state");
_Static_assert(sizeof(XXH128_canonical_t) == 16, "table above");

static void digest_fill(struct digest *out, XXH128_hash_t hash)
{
	XXH128_canonical_t bytes;

	XXH128_canonicalFromHash(&bytes, hash);
	memset(out, 0, sizeof *out);
	memcpy(out->b, bytes.digest, sizeof bytes.digest);
	out->b[DIGEST_SIZE - 1] = DIGEST_XXH3;
}

void digest_init(struct digest_state *s)
{
	XXH3_128bits_reset((XXH3_state_t *)s->opaque);
}

void digest_add(struct digest_state *s, const void *p, size_t n)
{
	if (n)
		XXH3_128bits_update((XXH3_state_t *)s->opaque, p, n);
}

void digest_final(struct digest_state *s, struct digest *out)
{
	digest_fill(out, XXH3_128bits_digest((XXH3_state_t *)s->opaque));
}

void digest_of(struct digest *out, const void *p, size_t n)
{
	digest_fill(out, XXH3_128bits(n ? p : "", n));
}

void digest_hex(const struct digest *d, char *out)
{
	for (int i = 0; i < DIGEST_SIZE; i++) {
		out[2 * i] = "0123456789abcdef"[d->b[i] >> 4];
		out[2 * i + 1] = "0123456789abcdef"[d->b[i] & 15];
	}
	out[DIGEST_HEX] = 0;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

int digest_parse(struct digest *d, const char *hex)
{
	for (int i = 0; i < DIGEST_SIZE; i++) {
		int high = hex_value(hex[2 * i]);
		int low = high < 0 ? -1 : hex_value(hex[2 * i + 1]);

		if (low < 0)
			return -1;
		d->b[i] = (unsigned char)(high << 4 | low);
	}
	return hex[DIGEST_HEX] ? -1 : 0;
}
