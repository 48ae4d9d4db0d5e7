/* units/place.h - the nearest existing directory above a path, and its file system.
 *
 * THREAD; not in a vfork child. */
#ifndef UNITS_PLACE_H
#define UNITS_PLACE_H

#include <stddef.h>

#include "shim/arena.h"

/* Opens it with O_PATH, above the standard streams; the first *len bytes of path name it. -errno:
 * there is none, or it may not be entered. */
int place_open(const char *path, size_t *len, struct arena *a);
/* 1: the file system's type is one that a single host uses: ext4, xfs, btrfs, zfs, tmpfs, overlayfs
 * and the like. 0: any other type (NFS, Lustre, FUSE ...), which several hosts may use. */
int place_is_of_one_host(const char *path, struct arena *a);

#endif
