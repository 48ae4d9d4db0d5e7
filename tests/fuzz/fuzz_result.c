/* The result decoder on any bytes, and zstd's frames in it: lengths hold, patches lie inside, and
 * accepted results are written again as the same bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/buf.h"
#include "store/entry/candidate.h"
#include "store/entry/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger claims are true of few inputs and would only fill memory here. */
#define UNPACK_MAX (1u << 20)
static volatile unsigned sum; /* so that every byte is read */

static void check_patches(const struct patch_list *l, size_t len)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].offset >= len)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);
	struct result r;

	if (result_decode(&r, data, size, &a) < 0)
		goto out;
	result_encode(&b, &r, COMPRESS_NEVER);
	if (b.failed || b.len != size || memcmp(b.data, data, size) != 0)
		abort();
	for (size_t i = 0; i < r.out_count; i++) {
		struct result_output *o = &r.out[i];

		check_patches(&o->patches, o->len);
		if (o->spec[o->spec_len] != '\0' || (o->packed && o->data))
			abort();
		if (o->len > UNPACK_MAX)
			continue;
		unsigned char *p = result_output_bytes(o, &a);
		for (size_t k = 0; p && k < o->len; k++)
			sum += p[k];
	}
	for (size_t i = 0; i < r.chunk_count; i++) {
		check_patches(&r.chunk[i].patches, r.chunk[i].len);
		for (size_t k = 0; k < r.chunk[i].len; k++)
			sum += r.chunk[i].data[k];
	}
out:
	arena_free(&a);
	return 0;
}
