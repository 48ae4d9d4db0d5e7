/* The entry parser on any bytes: what it accepts is complete, of the requested class, and so
 * sealed. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/entry/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A check digest that a fuzzer will not guess: it is put right first, to get behind it. */
static void parse(const uint8_t *data, size_t size)
{
	unsigned char head[ENTRY_HEAD], tail[ENTRY_TAIL];
	struct entry e;

	for (int class = STORE_MANIFEST; class <= STORE_KEY_HISTORY; class++) {
		if (entry_parse(&e, data, size, (enum store_class)class, NULL) != ENTRY_OK)
			continue;
		if (e.payload != data + ENTRY_HEAD || e.len != size - ENTRY_HEAD - ENTRY_TAIL ||
		    e.class != (enum store_class)class)
			abort();
		entry_seal(head, tail, e.class, &e.key, &(struct tmp_part){e.payload, e.len}, 1);
		if (memcmp(head, data, ENTRY_HEAD) != 0 ||
		    memcmp(tail, data + size - ENTRY_TAIL, ENTRY_TAIL) != 0)
			abort();
		if (entry_parse(&e, data, size - 1, e.class, NULL) == ENTRY_OK)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;
	struct digest check, key;

	parse(data, size);
	if (size < ENTRY_HEAD + ENTRY_TAIL)
		return 0;
	copy = malloc(size);
	if (!copy)
		abort();
	memcpy(copy, data, size);
	memcpy(key.b, copy + ENTRY_HEAD - DIGEST_SIZE, DIGEST_SIZE);
	digest_of_as(digest_algorithm(&key), &check, copy, size - ENTRY_TAIL);
	memcpy(copy + size - ENTRY_TAIL, check.b, ENTRY_TAIL);
	parse(copy, size);
	free(copy);
	return 0;
}
