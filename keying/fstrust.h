/* keying/fstrust.h - may a file's stamp (dev, ino, size, times) stand for its content?
 *
 * Yes where this kernel's clock set the times. Image builders clamp them, and two squashfs or ext4
 * images can show equal stamps for different bytes; network file systems have other clocks and
 * caches. So: ext4, xfs, btrfs and tmpfs on a writable superblock and not on a loop device; overlay by
 * its files (a birth time, and a change time with a fraction of a second, which no clamped or
 * birthless image has) and by those of its lower directories that can be seen.
 *
 * /proc/self/mountinfo is read only where statfs says overlay or read-only: it costs 50 us and more
 * on a node with many mounts. THREAD. */
#ifndef KEYING_FSTRUST_H
#define KEYING_FSTRUST_H

#include "shim/sys.h"

enum fstrust {
	FSTRUST_NO = 0,
	FSTRUST_YES = 1,
	FSTRUST_BORN = 2, /* files that carry a birth time and a change time with nanoseconds */
	/* tmpfs: as YES, but of a file that is written through a shared mapping only the first
	 * store to a page sets the times, for as long as the mapping lasts. */
	FSTRUST_MAPPED = 3
};

/* Lines are cut out of the text, not NUL-terminated. */
struct mount_line {
	const char *fstype, *source, *options; /* options of the superblock */
	size_t fstype_len, source_len, options_len;
};

/* fd, or path where fd is -1; st is its statx. A level, or -errno when the kernel did not tell.
 * *identity differs for two file systems that can show one st_dev after another. */
int fstrust_judge(int fd, const char *path, const struct statx *st, unsigned long long *identity);

/* The pure half. type and readonly are statfs's; line may be NULL unless readonly or overlay. Lower
 * directories are not looked at. */
enum fstrust fstrust_verdict(unsigned long type, int readonly, unsigned major,
                             const struct mount_line *line);
/* Finds mount `id` in the text of mountinfo. 0, or -1. */
int fstrust_find_mount(const char *text, size_t n, unsigned long long id, struct mount_line *out);
/* Steps through the absolute lower directories in superblock options: out gets the next one,
 * NUL-terminated, *at moves on from 0. Its length, 0 at the end. Names with escapes are left out. */
size_t fstrust_next_lower(const char *options, size_t n, size_t *at, char *out, size_t cap);

#endif
