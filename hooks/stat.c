/* hooks/stat.c - the stat family of glibc 2.33 and later. fstat names no path and is not hooked.
 *
 * struct stat, struct stat64 and the kernel's structure are one on x86-64 and aarch64, so the raw
 * call and one slow path serve every name. */
#include <sys/sysmacros.h>

#include "hooks/event.h"

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout");

typedef int stat_call(const char *, struct stat *);
typedef int fstatat_call(int, const char *, struct stat *, int);
typedef int statfs_call(const char *, struct statfs *);

/* flags: fstatat's flags for the call. */
static HOOK_SLOW int stat_slow(stat_call *call, const char *path, struct stat *st, int flags)
{
	int rc = call ? call(path, st)
	              : hook_result(SYS4(SYS_newfstatat, AT_FDCWD, path, st, flags));

	event_stat(AT_FDCWD, path, flags, rc, rc == 0 ? st->st_mode : 0);
	return rc;
}

static HOOK_SLOW int fstatat_slow(fstatat_call *call, int dirfd, const char *path, struct stat *st,
                                  int flags)
{
	int rc = call ? call(dirfd, path, st, flags)
	              : hook_result(SYS4(SYS_newfstatat, dirfd, path, st, flags));

	event_stat(dirfd, path, flags, rc, rc == 0 ? st->st_mode : 0);
	return rc;
}

static HOOK_SLOW int statfs_slow(statfs_call *call, const char *path, struct statfs *st)
{
	int rc = call ? call(path, st) : hook_result(SYS2(SYS_statfs, path, st));

	event_probe(TRACE_PRESENT, 0, AT_FDCWD, path, rc, 0);
	return rc;
}

HOOK_SPLIT(int, stat, (const char *path, struct stat *st),
           HOOK_STAT(AT_FDCWD, path, st, real.stat(path, st)), stat_slow(real.stat, path, st, 0))
HOOK_SPLIT(int, stat64, (const char *path, struct stat64 *st),
           HOOK_STAT(AT_FDCWD, path, st, real.stat64(path, st)),
           stat_slow((stat_call *)real.stat64, path, (struct stat *)st, 0))
HOOK_SPLIT(int, lstat, (const char *path, struct stat *st),
           HOOK_LOOKUP(AT_FDCWD, path, real.lstat(path, st)),
           stat_slow(real.lstat, path, st, AT_SYMLINK_NOFOLLOW))
HOOK_SPLIT(int, lstat64, (const char *path, struct stat64 *st),
           HOOK_LOOKUP(AT_FDCWD, path, real.lstat64(path, st)),
           stat_slow((stat_call *)real.lstat64, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW))
HOOK_SPLIT(int, fstatat, (int dirfd, const char *path, struct stat *st, int flags),
           HOOK_STAT(dirfd, path, st, real.fstatat(dirfd, path, st, flags)),
           fstatat_slow(real.fstatat, dirfd, path, st, flags))
HOOK_SPLIT(int, fstatat64, (int dirfd, const char *path, struct stat64 *st, int flags),
           HOOK_STAT(dirfd, path, st, real.fstatat64(dirfd, path, st, flags)),
           fstatat_slow((fstatat_call *)real.fstatat64, dirfd, path, (struct stat *)st, flags))

EXPORT int statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *st)
{
	int rc;

	if (HOOK_FAST(statx)) {
		rc = HOOK_LOOKUP(dirfd, path, real.statx(dirfd, path, flags, mask, st));
		if (rc == 0 && st->stx_mask & STATX_INO)
			unit_looked_at(path, st->stx_mode,
			               makedev(st->stx_dev_major, st->stx_dev_minor), st->stx_ino);
		return rc;
	}
	rc = HOOK_CALL(statx, sys_statx(dirfd, path, flags, mask, st),
	               (dirfd, path, flags, mask, st));
	event_stat(dirfd, path, flags, rc, rc == 0 ? st->stx_mode : 0);
	return rc;
}

HOOK_SPLIT(int, statfs, (const char *path, struct statfs *st), real.statfs(path, st),
           statfs_slow(real.statfs, path, st))
HOOK_SPLIT(int, statfs64, (const char *path, struct statfs64 *st), real.statfs64(path, st),
           statfs_slow((statfs_call *)real.statfs64, path, (struct statfs *)st))

/* Stat as programs linked before glibc 2.33 call it (every CUDA tool, conda's Python).
 *
 * The version names the caller's structure: 0 is the kernel's, 1 is _STAT_VER_LINUX on x86-64; both
 * are today's struct stat. libc returns EINVAL for others, and so does the raw call here. */

#if defined(__x86_64__)
#define STAT_VERSION_MAX 1
#else
#define STAT_VERSION_MAX 0
#endif

EXPORT int __xstat(int version, const char *path, struct stat *st);
EXPORT int __xstat64(int version, const char *path, struct stat64 *st);
EXPORT int __lxstat(int version, const char *path, struct stat *st);
EXPORT int __lxstat64(int version, const char *path, struct stat64 *st);
EXPORT int __fxstatat(int version, int dirfd, const char *path, struct stat *st, int flags);
EXPORT int __fxstatat64(int version, int dirfd, const char *path, struct stat64 *st, int flags);
EXPORT int __xmknod(int version, const char *path, mode_t mode, dev_t *dev);
EXPORT int __xmknodat(int version, int dirfd, const char *path, mode_t mode, dev_t *dev);

typedef int xstat_call(int, const char *, struct stat *);
typedef int fxstatat_call(int, int, const char *, struct stat *, int);

static int raw_stat(int version, int dirfd, const char *path, struct stat *st, int flags)
{
	if (version < 0 || version > STAT_VERSION_MAX)
		return hook_result(-EINVAL);
	return hook_result(SYS4(SYS_newfstatat, dirfd, path, st, flags));
}

/* flags: fstatat's flags for the call. */
static HOOK_SLOW int xstat_slow(xstat_call *call, int version, const char *path, struct stat *st,
                                int flags)
{
	int rc = call ? call(version, path, st) : raw_stat(version, AT_FDCWD, path, st, flags);

	event_stat(AT_FDCWD, path, flags, rc, rc == 0 ? st->st_mode : 0);
	return rc;
}

static HOOK_SLOW int fxstatat_slow(fxstatat_call *call, int version, int dirfd, const char *path,
                                   struct stat *st, int flags)
{
	int rc = call ? call(version, dirfd, path, st, flags)
	              : raw_stat(version, dirfd, path, st, flags);

	event_stat(dirfd, path, flags, rc, rc == 0 ? st->st_mode : 0);
	return rc;
}

HOOK_SPLIT(int, __xstat, (int version, const char *path, struct stat *st),
           HOOK_STAT(AT_FDCWD, path, st, real.__xstat(version, path, st)),
           xstat_slow(real.__xstat, version, path, st, 0))
HOOK_SPLIT(int, __xstat64, (int version, const char *path, struct stat64 *st),
           HOOK_STAT(AT_FDCWD, path, st, real.__xstat64(version, path, st)),
           xstat_slow((xstat_call *)real.__xstat64, version, path, (struct stat *)st, 0))
HOOK_SPLIT(int, __lxstat, (int version, const char *path, struct stat *st),
           HOOK_LOOKUP(AT_FDCWD, path, real.__lxstat(version, path, st)),
           xstat_slow(real.__lxstat, version, path, st, AT_SYMLINK_NOFOLLOW))
HOOK_SPLIT(int, __lxstat64, (int version, const char *path, struct stat64 *st),
           HOOK_LOOKUP(AT_FDCWD, path, real.__lxstat64(version, path, st)),
           xstat_slow((xstat_call *)real.__lxstat64, version, path, (struct stat *)st,
                      AT_SYMLINK_NOFOLLOW))
HOOK_SPLIT(int, __fxstatat, (int version, int dirfd, const char *path, struct stat *st, int flags),
           HOOK_STAT(dirfd, path, st, real.__fxstatat(version, dirfd, path, st, flags)),
           fxstatat_slow(real.__fxstatat, version, dirfd, path, st, flags))
HOOK_SPLIT(int, __fxstatat64,
           (int version, int dirfd, const char *path, struct stat64 *st, int flags),
           HOOK_STAT(dirfd, path, st, real.__fxstatat64(version, dirfd, path, st, flags)),
           fxstatat_slow((fxstatat_call *)real.__fxstatat64, version, dirfd, path,
                         (struct stat *)st, flags))
HOOK_TRACED(int, __xmknod, (int version, const char *path, mode_t mode, dev_t *dev),
            (version, path, mode, dev),
            version ? -EINVAL : SYS4(SYS_mknodat, AT_FDCWD, path, mode, *dev),
            event_other("mknod", AT_FDCWD, path, rc))
HOOK_TRACED(int, __xmknodat, (int version, int dirfd, const char *path, mode_t mode, dev_t *dev),
            (version, dirfd, path, mode, dev),
            version ? -EINVAL : SYS4(SYS_mknodat, dirfd, path, mode, *dev),
            event_other("mknod", dirfd, path, rc))
