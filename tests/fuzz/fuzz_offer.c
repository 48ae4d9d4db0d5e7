/* The offer decoder on any bytes: strings end where they say, and accepted offers are written again
 * as the same bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/buf.h"
#include "units/offer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);
	unsigned char *mine = malloc(size + 16);
	struct offer o;
	size_t n;

	/* The check is right, so that what stands before it is read. */
	memcpy(mine, data, size);
	if (size > 16 && size <= OFFER_RECORD_MAX) {
		struct digest check;

		digest_name(&check, mine, size - 16);
		memcpy(mine + size - 16, check.b, 16);
	}
	n = offer_decode(&o, mine, size);
	if (n) {
		offer_encode(&b, &o);
		if (b.failed || b.len != n || memcmp(b.data, mine, n) != 0)
			abort();
	}
	free(mine);
	arena_free(&a);
	return 0;
}
