/* The member decoder on any bytes: what it accepts has usable names and is written again as the
 * same bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/buf.h"
#include "units/format/member.h"
#include "units/format/parcel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);
	struct member m;

	if (member_decode(&m, data, size, &a) < 0)
		goto out;
	if (!parcel_name_ok(m.name))
		abort();
	member_encode(&b, &m);
	if (b.failed || b.len != size || memcmp(b.data, data, size) != 0)
		abort();
out:
	arena_free(&a);
	return 0;
}
