/* shim/pack.h - zstd with all of its memory in an arena: its own contexts would come from the host's
 * malloc. Frames tell the size of their content and have no checksum: a digest covers what holds them. THREAD. */
#ifndef SHIM_PACK_H
#define SHIM_PACK_H

#include "shim/arena.h"

/* n bytes as one frame of at most `most` bytes, its length in *packed; NULL when that does not pay, or
 * memory is refused. */
void *pack(const void *data, size_t n, int level, size_t most, size_t *packed, struct arena *a);
/* 1 when a frame says that its content has n bytes. */
int pack_holds(const void *frame, size_t packed, size_t n);
/* Exactly n bytes into out, never more. 0, or -1: damaged, or memory is refused. */
int unpack(void *out, size_t n, const void *frame, size_t packed, struct arena *a);
/* The same in pieces, each given to take, which returns 0 or an error that ends it; the pieces make exactly n bytes where
 * the end is 0, else there may be fewer. Memory: some of the frame's window, at most UNPACK_WINDOW. -EBADMSG: damaged, or
 * a larger window; -ENOMEM; else what take said. */
#define UNPACK_WINDOW (8u << 20)
int unpack_to(int (*take)(void *arg, const void *p, size_t n), void *arg, size_t n, const void *frame, size_t packed,
              struct arena *a);

#endif
