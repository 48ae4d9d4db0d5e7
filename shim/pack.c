/* shim/pack.c - zstd with all of its memory in an arena. */
#include "shim/pack.h"

#include <errno.h>

#define ZSTD_STATIC_LINKING_ONLY /* for contexts in memory of the caller */
#include <zstd.h>

#include "shim/banned.h"

/* A piece stays in the processor's cache between decompression and write(2). */
#define PIECE (128u << 10)

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

int unpack_to(int (*take)(void *arg, const void *p, size_t n), void *arg, size_t n,
              const void *frame, size_t packed, struct arena *a)
{
	ZSTD_frameHeader head;
	ZSTD_inBuffer in = {frame, packed, 0};
	size_t left = 1, sum = 0;

	if (ZSTD_getFrameHeader(&head, frame, packed) != 0 || head.windowSize > UNPACK_WINDOW ||
	    !pack_holds(frame, packed, n))
		return -EBADMSG;
	size_t work = ZSTD_estimateDStreamSize((size_t)head.windowSize);
	void *memory = arena_alloc(a, work), *piece = arena_alloc(a, PIECE);
	ZSTD_DStream *ctx = memory ? ZSTD_initStaticDStream(memory, work) : NULL;
	if (!ctx || !piece)
		return -ENOMEM;
	while (left) {
		ZSTD_outBuffer out = {piece, PIECE, 0};
		size_t before = in.pos;

		left = ZSTD_decompressStream(ctx, &out, &in);
		if (ZSTD_isError(left) || (in.pos == before && out.pos == 0))
			return -EBADMSG;
		sum += out.pos;
		int rc = sum > n ? -EBADMSG : out.pos ? take(arg, piece, out.pos) : 0;
		if (rc)
			return rc;
	}
	return sum == n && in.pos == packed ? 0 : -EBADMSG;
}
