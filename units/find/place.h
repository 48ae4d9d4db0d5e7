/* units/find/place.h - the directories above a path: the nearest one that exists, and its file
 * system.
 *
 * THREAD; not in a vfork child. */
#pragma once

#include <stddef.h>

#include "shim/arena.h"

/* Opens it with O_PATH, above the standard streams; the first *len bytes of path name it. -errno:
 * there is none, or it may not be entered. */
int place_open(const char *path, size_t *len, struct arena *a);
/* 1: the file system's type is one that a single host uses: ext4, xfs, btrfs, zfs, tmpfs, overlayfs
 * and the like. 0: any other type (NFS, Lustre, FUSE ...), which several hosts may use. */
int place_is_of_one_host(const char *path, struct arena *a);
/* 1: one of the directories above the path is `dir`, whatever links lead there. */
int place_is_below(const char *path, const char *dir, struct arena *a);
