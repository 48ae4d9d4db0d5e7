/* store/compress.c - decides which files are compressed in entries. */
#include "store/compress.h"

#include <stdint.h>

#include "shim/pack.h"

#include "shim/banned.h"

#define COMPRESS_LEVEL 1
/* Done once for all nodes, by a process that no job waits for. */
#define TRAVEL_LEVEL 3

void *compress_bytes(const void *data, size_t n, enum compress_mode mode, size_t *packed,
                     struct arena *a)
{
	size_t from = mode == COMPRESS_AUTO ? COMPRESS_SMALL
	                                    : mode == COMPRESS_TRANSFER ? COMPRESS_LARGE + 1 : 1,
	       upto = mode == COMPRESS_AUTO ? COMPRESS_LARGE : SIZE_MAX;

	if (mode == COMPRESS_NEVER || n < from || n > upto)
		return NULL;
	return pack(data, n, mode == COMPRESS_TRANSFER ? TRAVEL_LEVEL : COMPRESS_LEVEL,
	            (mode == COMPRESS_ALWAYS ? n : n / 4 * 3) - 1, packed, a);
}
