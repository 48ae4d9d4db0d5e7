/* keying/fstrust.h - may a file's stamp (dev, ino, size, times) stand for its content?
 *
 * It may where this kernel's clock set the times. Image builders clamp times, and two squashfs or
 * ext4 images can show equal stamps for different bytes. Network file systems have other clocks and
 * caches.
 *
 * The kernel never writes a squashfs or erofs, so there a stamp is good for one mount. Linux
 * numbers mounts for good from 6.8 on; older kernels give a number again. On a loop device the
 * state of the image's file is part of the identity. An image whose file cannot be seen is not
 * trusted.
 *
 * Trusted are ext4, xfs, btrfs and tmpfs on a writable superblock that is not on a loop device. An
 * overlay is judged by its files: they need a birth time, and a change time with a fraction of a
 * second. Files of clamped images and of images without birth times lack these. The lower
 * directories that can be seen must be trusted too.
 *
 * /proc/self/mountinfo is read only where statfs says overlay or read-only: reading it costs 50 us,
 * and more on a node with many mounts. THREAD. */
#pragma once

#include "shim/kernel/sys.h"

enum fstrust {
	FSTRUST_NO = 0,
	FSTRUST_YES = 1,
	FSTRUST_BORN = 2, /* only files with a birth time and a change time with nanoseconds */
	/* tmpfs: as YES, except for a file that is written through a shared mapping. There only the
	 * first store to a page sets the times, for as long as the mapping lasts. */
	FSTRUST_MAPPED = 3,
	FSTRUST_MOUNT = 4 /* only with the number of the mount: sys_statx_mount() */
};

/* The words point into the text and are not NUL-terminated. */
struct mount_line {
	const char *fstype, *source, *options; /* options of the superblock */
	size_t fstype_len, source_len, options_len;
};

/* Judges the file system of fd, or of path where fd is -1; st is its statx. Returns a level, or
 * -errno when the kernel does not tell. Two file systems may show the same st_dev one after the
 * other: *identity differs for them. */
int fstrust_judge(int fd, const char *path, const struct statx *st, unsigned long long *identity);

/* The pure half. type and readonly are statfs's. line may be NULL unless readonly or overlay. Lower
 * directories are not looked at. */
enum fstrust fstrust_verdict(unsigned long type, int readonly, unsigned major,
                             const struct mount_line *line);
/* Finds mount `id` in the text of mountinfo. 0, or -1. */
int fstrust_find_mount(const char *text, size_t n, unsigned long long id, struct mount_line *out);
/* Steps through the absolute lower directories in superblock options. out gets the next directory,
 * NUL-terminated; *at starts at 0 and moves on. Returns its length, 0 at the end. Names with
 * escapes are left out. */
size_t fstrust_next_lower(const char *options, size_t n, size_t *at, char *out, size_t cap);
