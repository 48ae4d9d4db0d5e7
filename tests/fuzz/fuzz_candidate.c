/* The candidate decoder on any bytes: strings end where they say, and what it accepts is written
 * again as the same bytes. What is written can be read and written again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/buf.h"
#include "store/entry/candidate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, size_t len)
{
	if (text ? text[len] != '\0' : len != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a), again;
	struct candidate c;
	int odd = 0;

	/* Digests that are longer than they need to be are written shorter. Bit 1 is not
	 * written. */
	if (size > 40)
		odd = data[40] != 2;

	if (candidate_decode(&c, data, size, &a) < 0)
		goto out;
	for (size_t i = 0; i < c.name_count; i++)
		check_text(c.name[i].text, c.name[i].len);
	for (size_t i = 0; i < c.count; i++) {
		check_text(c.v[i].spec, c.v[i].spec_len);
		check_text(c.v[i].text, c.v[i].text_len);
		/* A name with a NUL inside is written shorter. */
		for (size_t k = 0; k < c.v[i].name_count; k++) {
			const char *name = c.v[i].names[k];
			uint32_t len;

			memcpy(&len, name - 4, sizeof len);
			odd |= strlen(name) != len;
		}
	}
	candidate_encode(&b, &c);
	if (b.failed || (!odd && (b.len != size || memcmp(b.data, data, size) != 0)))
		abort();
	odd = candidate_decode(&c, b.data, b.len, &a);
	again = (struct buf)BUF_INIT(&a);
	candidate_encode(&again, &c);
	if (odd || again.failed || again.len != b.len || memcmp(again.data, b.data, b.len) != 0)
		abort();
out:
	arena_free(&a);
	return 0;
}
