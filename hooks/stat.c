/* hooks/stat.c - the stat family of glibc 2.33 and later. fstat names no path and is not hooked.
 *
 * struct stat, struct stat64 and the kernel's structure are one on x86-64 and aarch64, so the raw
 * call and one slow path serve every name. */
#include "hooks/event.h"

#include <sys/sysmacros.h>

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

EXPORT int stat(const char *path, struct stat *st)
{
	if (HOOK_FAST(stat))
		return HOOK_STAT(AT_FDCWD, path, st, real.stat(path, st));
	return stat_slow(real.stat, path, st, 0);
}

EXPORT int stat64(const char *path, struct stat64 *st)
{
	if (HOOK_FAST(stat64))
		return HOOK_STAT(AT_FDCWD, path, st, real.stat64(path, st));
	return stat_slow((stat_call *)real.stat64, path, (struct stat *)st, 0);
}

EXPORT int lstat(const char *path, struct stat *st)
{
	if (HOOK_FAST(lstat))
		return HOOK_LOOKUP(AT_FDCWD, path, real.lstat(path, st));
	return stat_slow(real.lstat, path, st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int lstat64(const char *path, struct stat64 *st)
{
	if (HOOK_FAST(lstat64))
		return HOOK_LOOKUP(AT_FDCWD, path, real.lstat64(path, st));
	return stat_slow((stat_call *)real.lstat64, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
	if (HOOK_FAST(fstatat))
		return HOOK_STAT(dirfd, path, st, real.fstatat(dirfd, path, st, flags));
	return fstatat_slow(real.fstatat, dirfd, path, st, flags);
}

EXPORT int fstatat64(int dirfd, const char *path, struct stat64 *st, int flags)
{
	if (HOOK_FAST(fstatat64))
		return HOOK_STAT(dirfd, path, st, real.fstatat64(dirfd, path, st, flags));
	return fstatat_slow((fstatat_call *)real.fstatat64, dirfd, path, (struct stat *)st, flags);
}

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

EXPORT int statfs(const char *path, struct statfs *st)
{
	if (HOOK_FAST(statfs))
		return real.statfs(path, st);
	return statfs_slow(real.statfs, path, st);
}

EXPORT int statfs64(const char *path, struct statfs64 *st)
{
	if (HOOK_FAST(statfs64))
		return real.statfs64(path, st);
	return statfs_slow((statfs_call *)real.statfs64, path, (struct statfs *)st);
}
