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

int unpack_begin(struct unpacker *u, int (*take)(void *arg, const void *p, size_t n), void *arg,
                 size_t n, size_t window, struct arena *a)
{
	size_t work = ZSTD_estimateDStreamSize(window);
	void *memory = arena_alloc(a, work);

	*u = (struct unpacker){.piece = arena_alloc(a, PIECE), .take = take, .arg = arg, .left = n};
	u->ctx = memory ? ZSTD_initStaticDStream(memory, work) : NULL;
	return u->ctx && u->piece ? 0 : -ENOMEM;
}

int unpack_add(struct unpacker *u, const void *p, size_t n)
{
	ZSTD_inBuffer in = {p, n, 0};
	ZSTD_outBuffer out = {u->piece, PIECE, 0};

	while (in.pos < n || out.pos == PIECE) {
		size_t before = in.pos;

		out.pos = 0;
		size_t rc = u->ended ? 0 : ZSTD_decompressStream(u->ctx, &out, &in);
		if (ZSTD_isError(rc) || (in.pos == before && in.pos < n && out.pos == 0) ||
		    out.pos > u->left)
			return -EBADMSG;
		u->ended |= rc == 0;
		u->left -= out.pos;
		int taken = out.pos ? u->take(u->arg, u->piece, out.pos) : 0;
		if (taken)
			return taken;
	}
	return 0;
}

int unpack_end(const struct unpacker *u)
{
	return u->ended && !u->left ? 0 : -EBADMSG;
}

int unpack_to(int (*take)(void *arg, const void *p, size_t n), void *arg, size_t n,
              const void *frame, size_t packed, struct arena *a)
{
	ZSTD_frameHeader head;
	struct unpacker u;
	int rc;

	if (ZSTD_getFrameHeader(&head, frame, packed) != 0 || head.windowSize > UNPACK_WINDOW ||
	    !pack_holds(frame, packed, n))
		return -EBADMSG;
	rc = unpack_begin(&u, take, arg, n, (size_t)head.windowSize, a);
	if (rc == 0)
		rc = unpack_add(&u, frame, packed);
	return rc ? rc : unpack_end(&u);
}
