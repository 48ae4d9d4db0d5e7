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

#endif
