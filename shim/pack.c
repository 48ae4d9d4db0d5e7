/* shim/pack.c - zstd with all of its memory in an arena. */
#include "shim/pack.h"

#define ZSTD_STATIC_LINKING_ONLY /* contexts in memory of ours */
#include <zstd.h>

#include "shim/banned.h"

void *pack(const void *data, size_t n, int level, size_t most, size_t *packed, struct arena *a)
{
	size_t work = ZSTD_estimateCCtxSize(level), bound = ZSTD_compressBound(n);
	void *memory, *dst;
	ZSTD_CCtx *ctx;

	if (ZSTD_isError(work) || ZSTD_isError(bound))
		return NULL;
	memory = arena_alloc(a, work);
	dst = arena_alloc(a, bound);
	ctx = memory ? ZSTD_initStaticCCtx(memory, work) : NULL;
	if (!ctx || !dst)
		return NULL;
	size_t got = ZSTD_compressCCtx(ctx, dst, bound, data, n, level);
	if (ZSTD_isError(got) || got > most)
		return NULL;
	*packed = got;
	return dst;
}

int pack_holds(const void *frame, size_t packed, size_t n)
{
	return ZSTD_getFrameContentSize(frame, packed) == n;
}

int unpack(void *out, size_t n, const void *frame, size_t packed, struct arena *a)
{
	size_t work = ZSTD_estimateDCtxSize();
	void *memory = arena_alloc(a, work);
	ZSTD_DCtx *ctx = memory ? ZSTD_initStaticDCtx(memory, work) : NULL;

	if (!ctx)
		return -1;
	size_t got = ZSTD_decompressDCtx(ctx, out, n, frame, packed);
	return ZSTD_isError(got) || got != n ? -1 : 0;
}
