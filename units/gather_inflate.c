/* units/gather_inflate.c - reads a zlib stream to its end for its checksum. The content is not
 * kept, so a window of 32 KiB is all the memory that it takes. RFC 1950 and 1951. */
#include <stdint.h>
#include <string.h>
#include <zstd.h>

#include "units/gather_check.h"
#include "units/gather_inflate.h"

enum { WINDOW = 32768, BITS_MAX = 15, LITERALS = 286, DISTANCES = 30, LENGTH_CODES = 19,
      END_OF_BLOCK = 256, ADLER = 65521 };
/* Additions before the sums of Adler-32 must be reduced. */
#define ADLER_RUN 5552

struct codes {
	uint16_t count[BITS_MAX + 1]; /* codes of each length */
	uint16_t symbol[LITERALS + 2];
};
struct inflate {
	const unsigned char *p, *end;
	uint64_t bits;
	unsigned have;        /* bits in it */
	int failed;
	unsigned char window[WINDOW];
	unsigned at;          /* where the next byte goes */
	uint64_t written;
	uint32_t a, b;        /* Adler-32, reduced every ADLER_RUN bytes */
	unsigned run;
};

static void refill(struct inflate *z)
{
	while (z->have <= 56 && z->p < z->end) {
		z->bits |= (uint64_t)*z->p++ << z->have;
		z->have += 8;
	}
}

static unsigned take(struct inflate *z, unsigned n)
{
	unsigned v;

	if (z->have < n)
		refill(z);
	if (z->have < n) {
		z->failed = 1;
		return 0;
	}
	v = (unsigned)(z->bits & ((1ull << n) - 1));
	z->bits >>= n;
	z->have -= n;
	return v;
}

static void reduce(struct inflate *z)
{
	z->a %= ADLER;
	z->b %= ADLER;
	z->run = 0;
}

static void put(struct inflate *z, unsigned char c)
{
	z->window[z->at] = c;
	z->at = (z->at + 1) % WINDOW;
	z->written++;
	z->a += c;
	z->b += z->a;
	if (++z->run == ADLER_RUN)
		reduce(z);
}

/* Codes of these lengths, in their order. 0, or -1: they are more than fit. */
static int build(struct codes *c, const unsigned char *length, unsigned n)
{
	uint16_t at[BITS_MAX + 1] = {0};
	int left = 1;

	memset(c->count, 0, sizeof c->count);
	for (unsigned i = 0; i < n; i++)
		c->count[length[i]]++;
	c->count[0] = 0;
	for (unsigned i = 1; i <= BITS_MAX; i++) {
		left = 2 * left - c->count[i];
		if (left < 0)
			return -1;
		if (i < BITS_MAX)
			at[i + 1] = (uint16_t)(at[i] + c->count[i]);
	}
	for (unsigned i = 0; i < n; i++)
		if (length[i])
			c->symbol[at[length[i]]++] = (uint16_t)i;
	return 0;
}

static unsigned decode(struct inflate *z, const struct codes *c)
{
	unsigned code = 0, first = 0, index = 0;

	if (z->have < BITS_MAX)
		refill(z);
	for (unsigned n = 1; n <= BITS_MAX && n <= z->have; n++) {
		unsigned count = c->count[n];

		code |= (unsigned)(z->bits >> (n - 1)) & 1;
		if (code < first + count) {
			z->bits >>= n;
			z->have -= n;
			return c->symbol[index + code - first];
		}
		index += count;
		first = (first + count) << 1;
		code <<= 1;
	}
	z->failed = 1;
	return END_OF_BLOCK;
}

static void stored(struct inflate *z)
{
	unsigned n, not;

	take(z, z->have % 8);
	n = take(z, 16);
	not = take(z, 16);
	if (n != (~not & 0xffff))
		z->failed = 1;
	while (n-- && !z->failed)
		put(z, (unsigned char)take(z, 8));
}

/* A symbol above END_OF_BLOCK: a length, and a distance behind it. */
static void copy(struct inflate *z, unsigned symbol, const struct codes *distances)
{
	static const uint16_t base[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35,
	                                43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
	static const uint16_t far[] = {1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193,
	                               257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
	                               8193, 12289, 16385, 24577};
	unsigned i = symbol - END_OF_BLOCK - 1, length, d, distance;

	if (i >= sizeof base / sizeof *base) {
		z->failed = 1;
		return;
	}
	length = base[i] + (i < 8 || i == 28 ? 0 : take(z, (i - 4) / 4));
	d = decode(z, distances);
	if (z->failed || d >= DISTANCES) {
		z->failed = 1;
		return;
	}
	distance = far[d] + (d < 4 ? 0 : take(z, (d - 2) / 2));
	if (distance > z->written || distance > WINDOW)
		z->failed = 1;
	while (length-- && !z->failed)
		put(z, z->window[(z->at + WINDOW - distance) % WINDOW]);
}

static void coded(struct inflate *z, const struct codes *literals, const struct codes *distances)
{
	while (!z->failed) {
		unsigned symbol = decode(z, literals);

		if (symbol == END_OF_BLOCK)
			return;
		if (symbol < END_OF_BLOCK)
			put(z, (unsigned char)symbol);
		else
			copy(z, symbol, distances);
	}
}

static void fixed(struct inflate *z, struct codes *literals, struct codes *distances)
{
	unsigned char length[LITERALS + 2];

	memset(length, 8, sizeof length);
	memset(length + 144, 9, 256 - 144);
	memset(length + 256, 7, 280 - 256);
	build(literals, length, sizeof length);
	memset(length, 5, DISTANCES);
	build(distances, length, DISTANCES);
	coded(z, literals, distances);
}

/* The lengths of all codes, themselves coded. 0, or -1. */
static int read_lengths(struct inflate *z, unsigned char *length, unsigned n,
                        const struct codes *codes)
{
	for (unsigned i = 0; i < n && !z->failed;) {
		unsigned symbol = decode(z, codes), times = 1;
		unsigned char value = (unsigned char)symbol;

		if (symbol >= 16) {
			value = symbol == 16 && i ? length[i - 1] : 0;
			z->failed |= symbol == 16 && !i;
			times = symbol == 16 ? 3 + take(z, 2) : symbol == 17 ? 3 + take(z, 3)
			        : 11 + take(z, 7);
		}
		if (symbol >= LENGTH_CODES || i + times > n)
			return -1;
		memset(length + i, value, times);
		i += times;
	}
	return z->failed ? -1 : 0;
}

static void dynamic(struct inflate *z, struct codes *literals, struct codes *distances)
{
	static const unsigned char order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2,
	                                      14, 1, 15};
	unsigned char length[LITERALS + 2 + DISTANCES + 2] = {0};
	unsigned l = take(z, 5) + 257, d = take(z, 5) + 1, c = take(z, 4) + 4;

	for (unsigned i = 0; i < c; i++)
		length[order[i]] = (unsigned char)take(z, 3);
	z->failed |= l > LITERALS || d > DISTANCES || build(literals, length, LENGTH_CODES) < 0;
	if (z->failed || read_lengths(z, length, l + d, literals) < 0 || !length[END_OF_BLOCK] ||
	    build(literals, length, l) < 0 || build(distances, length + l, d) < 0)
		z->failed = 1;
	coded(z, literals, distances);
}

/* 1: the stream's checksum is that of its content, and nothing follows. */
static int ends_well(struct inflate *z)
{
	uint32_t sum = 0;

	take(z, z->have % 8);
	for (int i = 0; i < 4; i++)
		sum = sum << 8 | take(z, 8);
	reduce(z);
	return !z->failed && sum == (z->b << 16 | z->a) && !z->have && z->p == z->end;
}

static int is_zlib(const unsigned char *p, size_t n)
{
	return n > 6 && (p[0] & 15) == 8 && p[0] >> 4 <= 7 && (p[0] << 8 | p[1]) % 31 == 0 &&
	       !(p[1] & 32);
}

int check_compressed(const void *bytes, size_t n)
{
	struct inflate z = {.p = (const unsigned char *)bytes + 2,
	                    .end = (const unsigned char *)bytes + n, .a = 1};
	static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd}; /* of zstd, RFC 8878 */
	struct codes literals, distances;
	int last = 0;

	if (n >= sizeof frame && memcmp(bytes, frame, sizeof frame) == 0)
		return ZSTD_findFrameCompressedSize(bytes, n) == n;
	if (!is_zlib(bytes, n))
		return 0;
	while (!last && !z.failed) {
		last = (int)take(&z, 1);
		switch (take(&z, 2)) {
		case 0:
			stored(&z);
			break;
		case 1:
			fixed(&z, &literals, &distances);
			break;
		case 2:
			dynamic(&z, &literals, &distances);
			break;
		default:
			z.failed = 1;
		}
	}
	return ends_well(&z);
}
