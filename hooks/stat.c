/* hooks/stat.c - the stat family of glibc 2.33 and later. fstat names no path and is not hooked.
 *
 * struct stat, struct stat64 and the kernel's structure are one on x86-64 and aarch64, so that the raw
 * call serves every name. */
#include "hooks/event.h"

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout");

#define RAW_STAT(dirfd, path, st, flags) SYS4(SYS_newfstatat, dirfd, path, st, flags)

EXPORT int stat(const char *path, struct stat *st)
{
	int rc;

	if (HOOK_FAST(stat))
		return real.stat(path, st);
	rc = HOOK_CALL(stat, RAW_STAT(AT_FDCWD, path, st, 0), (path, st));
	event_stat(AT_FDCWD, path, 0, rc, rc == 0 ? st->st_mode : 0);
	return rc;
}

EXPORT int stat64(const char *path, struct stat64 *st)
{
	int rc;

	if (HOOK_FAST(stat64))
		return real.stat64(path, st);
	rc = HOOK_CALL(stat64, RAW_STAT(AT_FDCWD, path, st, 0), (path, st));
	event_stat(AT_FDCWD, path, 0, rc, rc == 0 ? st->st_mode : 0);
	return rc;
}

EXPORT int lstat(const char *path, struct stat *st)
{
	int rc;

	if (HOOK_FAST(lstat))
		return real.lstat(path, st);
	rc = HOOK_CALL(lstat, RAW_STAT(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW), (path, st));
	event_stat(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, rc, rc == 0 ? st->st_mode : 0);
	return rc;
}

EXPORT int lstat64(const char *path, struct stat64 *st)
{
	int rc;

	if (HOOK_FAST(lstat64))
		return real.lstat64(path, st);
	rc = HOOK_CALL(lstat64, RAW_STAT(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW), (path, st));
	event_stat(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, rc, rc == 0 ? st->st_mode : 0);
	return rc;
}

EXPORT int fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
	int rc;

	if (HOOK_FAST(fstatat))
		return real.fstatat(dirfd, path, st, flags);
	rc = HOOK_CALL(fstatat, RAW_STAT(dirfd, path, st, flags), (dirfd, path, st, flags));
	event_stat(dirfd, path, flags, rc, rc == 0 ? st->st_mode : 0);
	return rc;
}

EXPORT int fstatat64(int dirfd, const char *path, struct stat64 *st, int flags)
{
	int rc;

	if (HOOK_FAST(fstatat64))
		return real.fstatat64(dirfd, path, st, flags);
	rc = HOOK_CALL(fstatat64, RAW_STAT(dirfd, path, st, flags), (dirfd, path, st, flags));
	event_stat(dirfd, path, flags, rc, rc == 0 ? st->st_mode : 0);
	return rc;
}

EXPORT int statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *st)
{
	int rc;

	if (HOOK_FAST(statx))
		return real.statx(dirfd, path, flags, mask, st);
	rc = HOOK_CALL(statx, sys_statx(dirfd, path, flags, mask, st),
	               (dirfd, path, flags, mask, st));
	event_stat(dirfd, path, flags, rc, rc == 0 ? st->stx_mode : 0);
	return rc;
}

EXPORT int statfs(const char *path, struct statfs *st)
{
	int rc;

	if (HOOK_FAST(statfs))
		return real.statfs(path, st);
	rc = HOOK_CALL(statfs, SYS2(SYS_statfs, path, st), (path, st));
	event_probe(TRACE_PRESENT, 0, AT_FDCWD, path, rc, 0);
	return rc;
}

EXPORT int statfs64(const char *path, struct statfs64 *st)
{
	int rc;

	if (HOOK_FAST(statfs64))
		return real.statfs64(path, st);
	rc = HOOK_CALL(statfs64, SYS2(SYS_statfs, path, st), (path, st));
	event_probe(TRACE_PRESENT, 0, AT_FDCWD, path, rc, 0);
	return rc;
}
