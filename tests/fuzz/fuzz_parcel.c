/* The parcel decoder on any bytes, and zstd's frames in it: names, lengths and marks hold, what it
 * accepts is written again as the same bytes, and a file with its marks filled has the length that
 * follows. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/buf.h"
#include "units/format/parcel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger claims are true of few inputs and would only fill memory here. */
#define UNPACK_MAX (1u << 20)
static volatile unsigned sum; /* so that every byte is read */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char dir[] = "/d\"";
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);
	struct parcel p;

	if (parcel_decode(&p, data, size, &a) < 0)
		goto out;
	parcel_encode(&b, &p, COMPRESS_NEVER);
	if (b.failed || b.len != size || memcmp(b.data, data, size) != 0)
		abort();
	for (unsigned i = 0; i < p.files; i++) {
		struct parcel_file *f = &p.file[i];
		uint64_t n;

		if (!parcel_name_ok(f->name) || (f->packed && f->data))
			abort();
		if (f->len > UNPACK_MAX)
			continue;
		const unsigned char *bytes = parcel_file_bytes(f, dir, &n, &a);
		if (bytes && n != f->len + f->marks * sizeof dir)
			abort();
		for (uint64_t k = 0; bytes && k < n; k++)
			sum += bytes[k];
	}
out:
	arena_free(&a);
	return 0;
}
