/* units/place.h - what a directory stands on that may not be there yet: the nearest one above it that is.
 *
 * THREAD; not in a vfork child. */
#ifndef UNITS_PLACE_H
#define UNITS_PLACE_H

#include <stddef.h>

#include "shim/arena.h"

/* That one, opened with O_PATH, above the standard streams; *len bytes of path name it. -errno: none, or it may not be
 * entered. */
int place_open(const char *path, size_t *len, struct arena *a);
/* 1: on a file system that one host alone writes, as far as its type tells: ext4, xfs, btrfs, zfs, tmpfs, overlayfs and their like.
 * 0: of any other type (NFS, Lustre, FUSE, ...), which other hosts may have as well. */
int place_is_of_one_host(const char *path, struct arena *a);

#endif
