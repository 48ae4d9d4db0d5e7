/* shim/kernel/sys.c - statx by the system call that every program makes. */
#include <string.h>
#include <sys/stat.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

/* The kernel's packing of a device's numbers into st_dev (include/linux/kdev_t.h). */
#define MAJOR(dev) ((uint32_t)((dev) >> 8) & 0xfff)
#define MINOR(dev) (((uint32_t)(dev) & 0xff) | ((uint32_t)((dev) >> 12) & 0xfff00))

static struct statx_timestamp stamp(const struct timespec *t)
{
	return (struct statx_timestamp){.tv_sec = t->tv_sec, .tv_nsec = (uint32_t)t->tv_nsec};
}

int sys_statx(int dir, const char *path, int flags, unsigned mask, struct statx *st)
{
	struct stat s;

	if (mask & ~(unsigned)STATX_BASIC_STATS)
		return (int)SYS5(SYS_statx, dir, path, flags, mask, st);
	int rc = (int)SYS4(SYS_newfstatat, dir, path, &s, flags & ~AT_STATX_SYNC_TYPE);
	if (rc < 0)
		return rc;
	memset(st, 0, sizeof *st);
	st->stx_mask = STATX_BASIC_STATS;
	st->stx_blksize = (uint32_t)s.st_blksize;
	st->stx_nlink = (uint32_t)s.st_nlink;
	st->stx_uid = s.st_uid;
	st->stx_gid = s.st_gid;
	st->stx_mode = (uint16_t)s.st_mode;
	st->stx_ino = s.st_ino;
	st->stx_size = (uint64_t)s.st_size;
	st->stx_blocks = (uint64_t)s.st_blocks;
	st->stx_atime = stamp(&s.st_atim);
	st->stx_mtime = stamp(&s.st_mtim);
	st->stx_ctime = stamp(&s.st_ctim);
	st->stx_dev_major = MAJOR(s.st_dev);
	st->stx_dev_minor = MINOR(s.st_dev);
	st->stx_rdev_major = MAJOR(s.st_rdev);
	st->stx_rdev_minor = MINOR(s.st_rdev);
	return 0;
}
