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

int packer_begin(struct packer *k, int (*take)(void *arg, const void *p, size_t n), void *arg,
               uint64_t n, int level, struct arena *a)
{
	size_t work = ZSTD_estimateCStreamSize(level);
	void *memory = ZSTD_isError(work) ? NULL : arena_alloc(a, work);

	*k = (struct packer){.piece = arena_alloc(a, PIECE), .take = take, .arg = arg};
	k->ctx = memory ? ZSTD_initStaticCCtx(memory, work) : NULL;
	/* A context in memory of the caller begins with zeros in place of zstd's defaults, such as
	 * that a frame records its content's size. */
	return k->ctx && k->piece &&
	       !ZSTD_isError(ZSTD_CCtx_reset(k->ctx, ZSTD_reset_session_and_parameters)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(k->ctx, ZSTD_c_compressionLevel, level)) &&
	       !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(k->ctx, n)) ? 0 : -ENOMEM;
}

static int pack_some(struct packer *k, ZSTD_inBuffer *in, ZSTD_EndDirective end)
{
	size_t left;

	do {
		ZSTD_outBuffer out = {k->piece, PIECE, 0};
		int rc;

		left = ZSTD_compressStream2(k->ctx, &out, in, end);
		if (ZSTD_isError(left))
			return -EBADMSG;
		rc = out.pos ? k->take(k->arg, k->piece, out.pos) : 0;
		if (rc)
			return rc;
	} while (end == ZSTD_e_end ? left != 0 : in->pos < in->size);
	return 0;
}

int packer_add(struct packer *k, const void *p, size_t n)
{
	return pack_some(k, &(ZSTD_inBuffer){p, n, 0}, ZSTD_e_continue);
}

int packer_end(struct packer *k)
{
	return pack_some(k, &(ZSTD_inBuffer){"", 0, 0}, ZSTD_e_end);
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
