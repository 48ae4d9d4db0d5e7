/* tools/sha1.c - FIPS 180-4, 6.1.2: 80 rounds a block, over a schedule of 16 words that wraps. */
#include "tools/sha1.h"

#include <string.h>

#include "shim/banned.h"

static uint32_t left(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static uint32_t word(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t mixed(unsigned t, uint32_t b, uint32_t c, uint32_t d)
{
	switch (t / 20) {
	case 0: return ((b & c) | (~b & d)) + 0x5a827999;
	case 1: return (b ^ c ^ d) + 0x6ed9eba1;
	case 2: return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	default: return (b ^ c ^ d) + 0xca62c1d6;
	}
}

static void add_block(struct sha1 *s, const unsigned char *p)
{
	uint32_t a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4], w[16];

	for (unsigned t = 0; t < 80; t++) {
		uint32_t next;

		w[t % 16] = t < 16 ? word(p + 4 * t)
		                   : left(w[(t + 13) % 16] ^ w[(t + 8) % 16] ^ w[(t + 2) % 16] ^
		                                  w[t % 16], 1);
		next = left(a, 5) + mixed(t, b, c, d) + e + w[t % 16];
		e = d;
		d = c;
		c = left(b, 30);
		b = a;
		a = next;
	}
	s->h[0] += a;
	s->h[1] += b;
	s->h[2] += c;
	s->h[3] += d;
	s->h[4] += e;
}

/* --- public, in header order --- */

void sha1_init(struct sha1 *s)
{
	*s = (struct sha1){{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, 0, {0}};
}

void sha1_add(struct sha1 *s, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t held = s->length % sizeof s->block;

	s->length += n;
	while (n) {
		size_t len = sizeof s->block - held < n ? sizeof s->block - held : n;

		if (len == sizeof s->block) {
			add_block(s, p);
		} else {
			memcpy(s->block + held, p, len);
			held = (held + len) % sizeof s->block;
			if (!held)
				add_block(s, s->block);
		}
		p += len;
		n -= len;
	}
}

void sha1_final(struct sha1 *s, unsigned char out[SHA1_SIZE])
{
	static const unsigned char padding[64] = {0x80};
	uint64_t bits = s->length * 8;
	unsigned char length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha1_add(s, padding, 1 + (119 - s->length % 64) % 64);
	sha1_add(s, length, sizeof length);
	for (int i = 0; i < SHA1_SIZE; i++)
		out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}
