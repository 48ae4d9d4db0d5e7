/* store/compress.h - decides which files are compressed in entries: outputs of actions and files of
 * units. One policy, one setting (REPRISE_COMPRESS). THREAD. */
#ifndef STORE_COMPRESS_H
#define STORE_COMPRESS_H

#include "shim/arena.h"

/* Copying a precompiled header of 150 MB takes half the time of decompressing it. */
#define COMPRESS_LARGE (32u << 20)
/* A hit needs 0.9 ms more for each megabyte that it decompresses. */
#define COMPRESS_SMALL (4u << 20)
/* AUTO: compresses files of COMPRESS_SMALL to COMPRESS_LARGE that zstd level 1 brings below 3/4.
 * Smaller files cost a hit more than they save; larger files are copied faster than they are
 * decompressed. In parcels, larger files are compressed as for TRANSFER. TRANSFER, for results that
 * go to a remote store and for parcels: compresses larger files at level 3. A node that fetches an
 * uncompressed file would write it a second time, into its local store. That costs more than some
 * hits that unpack. */
enum compress_mode { COMPRESS_NEVER, COMPRESS_AUTO, COMPRESS_ALWAYS, COMPRESS_TRANSFER };
/* How bytes are kept: the number in formats. */
enum packing { PACKING_NONE, PACKING_ZSTD };

/* Returns one zstd frame in the arena if compression pays, with its length in *packed; else
 * NULL. */
void *compress_bytes(const void *data, size_t n, enum compress_mode mode, size_t *packed,
                     struct arena *a);

#endif
