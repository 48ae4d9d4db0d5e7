/* The blob parser on any bytes, with and without trust: what it accepts fits its lengths and is a
 * complete entry. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/entry/blob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_ENTRY (4u << 20)
/* As above blob.c. */
enum { OFF_CLASS = 8, OFF_KEY = 40, OFF_DIGEST = 72 };

struct taken {
	const unsigned char *want; /* NULL: any bytes */
	uint64_t n;
};

static int take(void *arg, const void *p, size_t n)
{
	struct taken *t = arg;

	if (t->want && memcmp(t->want + t->n, p, n) != 0)
		abort();
	t->n += n;
	return 0;
}

/* In pieces it never has more bytes, and what is whole is so in pieces. A frame may have a part
 * behind it that holds nothing: only in one piece is that accepted. */
static void stream(const struct blob_head *h, const uint8_t *data, const uint8_t *stored,
                   enum store_class class, const struct digest *key, const unsigned char *want)
{
	struct arena a = ARENA_INIT;
	struct taken t = {want, 0};
	struct blob_stream s;
	size_t piece = 1 + h->stored / 3;
	int rc = 0;

	if (blob_stream_begin(&s, h, data, class, key, take, &t, &a) < 0)
		abort();
	for (uint64_t at = 0; at < h->stored && !rc; at += piece)
		rc = blob_stream_add(&s, stored + at,
		                     h->stored - at < piece ? h->stored - at : piece);
	int whole = blob_stream_end(&s) == BLOB_OK && !rc;
	if (t.n > h->entry_len || (whole && t.n != h->entry_len) ||
	    (want && h->stored == h->entry_len && !whole))
		abort();
	arena_free(&a);
}

static int parse(const uint8_t *data, size_t size, enum store_class class, const struct digest *key,
                 const struct trust *t)
{
	struct arena a = ARENA_INIT;
	struct blob_head h;
	struct entry e;
	enum blob_status st = blob_head_read(&h, data, size, class, key, MAX_ENTRY, t);
	uint64_t sum = 0;

	if (st != BLOB_OK)
		return 0;
	for (unsigned i = 0; i < h.parts; i++)
		sum += blob_part_len(&h, i);
	if (sum != h.stored || h.entry_len > MAX_ENTRY || h.stored > h.entry_len ||
	    BLOB_HEAD + blob_part_len(&h, 0) != size)
		abort();
	/* Parts that are elsewhere. */
	uint8_t *stored = calloc(1, h.stored);
	if (!stored)
		abort();
	memcpy(stored, data + BLOB_HEAD, size - BLOB_HEAD);
	st = blob_open(&e, &h, data, stored, class, key, &a);
	if (st == BLOB_OK && (e.len + ENTRY_HEAD + ENTRY_TAIL != h.entry_len || e.class != class ||
	                      !digest_equal(&e.key, key)))
		abort();
	stream(&h, data, stored, class, key, st == BLOB_OK ? e.payload - ENTRY_HEAD : NULL);
	arena_free(&a);
	free(stored);
	return st == BLOB_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trust t = {.count = 1};
	struct digest key, d;
	uint8_t *copy;

	memset(&key, 0, sizeof key);
	if (size >= OFF_KEY + DIGEST_SIZE)
		memcpy(key.b, data + OFF_KEY, DIGEST_SIZE);
	for (int class = STORE_MANIFEST; class <= STORE_KEY_HISTORY; class++) {
		parse(data, size, (enum store_class)class, &key, NULL);
		/* The signature of a key that does not exist is never accepted. */
		if (parse(data, size, (enum store_class)class, &key, &t))
			abort();
	}
	if (size < BLOB_HEAD)
		return 0;
	/* A digest that a fuzzer will not guess is put right, to get behind it. */
	copy = malloc(size);
	if (!copy)
		abort();
	memcpy(copy, data, size);
	for (int algorithm = DIGEST_XXH3; algorithm <= DIGEST_BLAKE2B; algorithm++) {
		digest_of_as(algorithm, &d, copy + BLOB_HEAD, size - BLOB_HEAD);
		memcpy(copy + OFF_DIGEST, d.b, DIGEST_SIZE);
		parse(copy, size, (enum store_class)copy[OFF_CLASS], &key, NULL);
	}
	free(copy);
	return 0;
}
