/* store/compress.h - which files an entry holds compressed: outputs of actions, files of units. One policy, one
 * setting (REPRISE_COMPRESS). THREAD. */
#ifndef STORE_COMPRESS_H
#define STORE_COMPRESS_H

#include "shim/arena.h"

/* A precompiled header of 150 MB is copied in half the time that its decompression takes. */
#define COMPRESS_LARGE (32u << 20)
/* AUTO (of a parcel, TRAVEL for what is larger): files of 128 KiB to COMPRESS_LARGE that zstd level 1 brings below 3/4: smaller ones cost a hit more
 * than they save, larger ones are copied faster than they are decompressed.
 * TRAVEL, of a result for a remote store and of parcels: larger ones at level 3. Who fetches them would write them a second time, into its
 * local store, and that costs more than some hits that unpack. */
enum compress_mode { COMPRESS_NEVER, COMPRESS_AUTO, COMPRESS_ALWAYS, COMPRESS_TRANSFER };
/* How bytes are kept: the number in formats. */
enum packing { PACKING_NONE, PACKING_ZSTD };

/* One frame in the arena when that pays, its length in *packed; else NULL. */
void *compress_bytes(const void *data, size_t n, enum compress_mode mode, size_t *packed, struct arena *a);

#endif
