/* units/absent.c - a table of digests with open addressing. Entries are never removed. */
#include "units/absent.h"

#include <stdint.h>
#include <string.h>

#include "shim/digest.h"

#include "shim/banned.h"

/* A look-up of a free slot that takes longer counts as a full table. */
#define TRIES 64u

static uint64_t slots[ABSENT_SLOTS];

/* The slot that holds the path, or a free one; NULL: neither is found. */
static uint64_t *find(const char *path, uint64_t *digest)
{
	struct digest d;

	digest_name(&d, path, strlen(path));
	memcpy(digest, d.b, sizeof *digest);
	*digest |= 1; /* 0 is a free slot */
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t *slot = &slots[(*digest / 2 + i) % ABSENT_SLOTS];
		uint64_t has = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (!has || has == *digest)
			return slot;
	}
	return NULL;
}

int absent_is_known(const char *path)
{
	uint64_t digest;
	const uint64_t *slot = find(path, &digest);

	return !slot || *slot == digest;
}

void absent_add(const char *path)
{
	uint64_t digest, *slot, none = 0;

	do
		slot = find(path, &digest);
	while (slot && *slot != digest &&
	       !__atomic_compare_exchange_n(slot, &none, digest, 0, __ATOMIC_RELAXED,
	                                    __ATOMIC_RELAXED) &&
	       (none = 0, 1));
}
