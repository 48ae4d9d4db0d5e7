/* store/compress.c - which files an entry holds compressed. */
#include "store/compress.h"

#include "shim/pack.h"

#include "shim/banned.h"

#define COMPRESS_LEVEL 1
/* Below a page nothing is won: the entry takes a block on disk anyway. */
#define COMPRESS_FROM (128u << 10)
/* A precompiled header of 150 MB is copied in half the time that its decompression takes. */
#define COMPRESS_UPTO (32u << 20)

void *compress_bytes(const void *data, size_t n, enum compress_mode mode, size_t *packed, struct arena *a)
{
	if (mode == COMPRESS_NEVER || n == 0 ||
	    (mode == COMPRESS_AUTO && (n < COMPRESS_FROM || n > COMPRESS_UPTO)))
		return NULL;
	return pack(data, n, COMPRESS_LEVEL, (mode == COMPRESS_AUTO ? n / 4 * 3 : n) - 1, packed, a);
}
