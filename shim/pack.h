/* shim/pack.h - zstd with all of its memory in an arena: its own contexts would use the host's
 * malloc. Frames record the size of their content and have no checksum: the digest of the entry
 * covers them. THREAD. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"

/* Compresses n bytes into one frame of at most `most` bytes, with its length in *packed; NULL if
 * that does not pay, or memory is refused. */
void *pack(const void *data, size_t n, int level, size_t most, size_t *packed, struct arena *a);
/* The same of n bytes that come in pieces: take gets the frame, and returns 0, or an error that
 * ends it. Memory: a few MiB, whatever n is.
 *
 *     packer_begin(&p, take, arg, n, level, arena);  // 0 or -ENOMEM
 *     packer_add(&p, bytes, some);                   // 0, or an error
 *     packer_end(&p);                                // the same; -EBADMSG: not n bytes
 */
struct packer {
	void *ctx, *piece; /* in the arena */
	int (*take)(void *arg, const void *p, size_t n);
	void *arg;
};
int packer_begin(struct packer *k, int (*take)(void *arg, const void *p, size_t n), void *arg,
               uint64_t n, int level, struct arena *a);
int packer_add(struct packer *k, const void *p, size_t n);
int packer_end(struct packer *k);
/* 1 if the frame records a content of n bytes. */
int pack_holds(const void *frame, size_t packed, size_t n);
/* Decompresses exactly n bytes into out, never more. 0, or -1: damaged, or memory is refused. */
int unpack(void *out, size_t n, const void *frame, size_t packed, struct arena *a);
/* Decompresses in pieces and calls take for each; take returns 0, or an error that ends it. With
 * result 0 the pieces have exactly n bytes in all, else perhaps fewer. Memory: a multiple of the
 * frame's window, which is at most UNPACK_WINDOW. -EBADMSG: damaged, or a larger window; -ENOMEM;
 * else the error of take. */
#define UNPACK_WINDOW (8u << 20)
int unpack_to(int (*take)(void *arg, const void *p, size_t n), void *arg, size_t n,
              const void *frame, size_t packed, struct arena *a);
/* The same for a frame that comes in pieces itself. unpack_end: 0: exactly the whole frame came. */
struct unpacker {
	void *ctx, *piece; /* in the arena */
	int (*take)(void *arg, const void *p, size_t n);
	void *arg;
	size_t left; /* of the content */
	int ended;
};
int unpack_begin(struct unpacker *u, int (*take)(void *arg, const void *p, size_t n), void *arg,
                 size_t n, size_t window, struct arena *a);
int unpack_add(struct unpacker *u, const void *p, size_t n);
int unpack_end(const struct unpacker *u);
