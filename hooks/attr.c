/* hooks/attr.c - mode, owner, times and length of files by name, and changes by fchmod and futimens
 * through a descriptor. The trace already has the file's content: the file was opened for
 * writing. */
#include "hooks/event.h"

#define RAW_UTIMENSAT(dirfd, path, times, flags) \
	SYS4(SYS_utimensat, dirfd, path, times, flags)

/* The times of the older calls, for the system call that both machines have. */
static long raw_utimes(int dirfd, const char *path, const struct timeval times[2], int flags)
{
	struct timespec ts[2];

	for (int i = 0; times && i < 2; i++)
		ts[i] = (struct timespec){times[i].tv_sec, times[i].tv_usec * 1000};
	return RAW_UTIMENSAT(dirfd, path, times ? ts : NULL, flags);
}

static long raw_utime(const char *path, const struct utimbuf *times)
{
	struct timespec ts[2];

	if (!times)
		return RAW_UTIMENSAT(AT_FDCWD, path, NULL, 0);
	ts[0] = (struct timespec){times->actime, 0};
	ts[1] = (struct timespec){times->modtime, 0};
	return RAW_UTIMENSAT(AT_FDCWD, path, ts, 0);
}

/* glibc implements AT_SYMLINK_NOFOLLOW through /proc; the kernel's call has no flags. */
static long raw_fchmodat(int dirfd, const char *path, mode_t mode, int flags)
{
	return flags ? -EOPNOTSUPP : SYS3(SYS_fchmodat, dirfd, path, mode);
}

static unsigned nofollow(int at_flags)
{
	return at_flags & AT_SYMLINK_NOFOLLOW ? TRACE_FLAG_NOFOLLOW : 0;
}

/* A file that is truncated to nothing is written anew. */
static void event_truncate(const char *path, off_t length, int rc)
{
	event_probe(length ? TRACE_UPDATE : TRACE_WRITE,
	            rc == 0 && !length ? TRACE_FLAG_EXISTED : 0, AT_FDCWD, path, rc, 0);
}

/* futimesat without a path changes the descriptor's file. */
static void event_times(int dirfd, const char *path, int rc)
{
	if (path)
		event_probe(TRACE_TIMES, 0, dirfd, path, rc, 0);
	else
		event_fd(TRACE_TIMES, dirfd, rc, 0);
}

HOOK_TRACED(int, chmod, (const char *path, mode_t mode), (path, mode),
            SYS3(SYS_fchmodat, AT_FDCWD, path, mode),
            event_probe(TRACE_CHMOD, 0, AT_FDCWD, path, rc, mode))
HOOK_TRACED(int, fchmod, (int fd, mode_t mode), (fd, mode), sys_fchmod(fd, mode),
            event_fd(TRACE_CHMOD, fd, rc, mode))
HOOK_TRACED(int, fchmodat, (int dirfd, const char *path, mode_t mode, int flags),
            (dirfd, path, mode, flags), raw_fchmodat(dirfd, path, mode, flags),
            event_probe(TRACE_CHMOD, nofollow(flags), dirfd, path, rc, mode))
HOOK_TRACED(int, chown, (const char *path, uid_t uid, gid_t gid), (path, uid, gid),
            SYS5(SYS_fchownat, AT_FDCWD, path, uid, gid, 0),
            event_other("chown", AT_FDCWD, path, rc))
HOOK_TRACED(int, lchown, (const char *path, uid_t uid, gid_t gid), (path, uid, gid),
            SYS5(SYS_fchownat, AT_FDCWD, path, uid, gid, AT_SYMLINK_NOFOLLOW),
            event_other("lchown", AT_FDCWD, path, rc))
HOOK_TRACED(int, fchownat, (int dirfd, const char *path, uid_t uid, gid_t gid, int flags),
            (dirfd, path, uid, gid, flags), SYS5(SYS_fchownat, dirfd, path, uid, gid, flags),
            event_other("fchownat", dirfd, path, rc))
HOOK_TRACED(int, truncate, (const char *path, off_t length), (path, length),
            SYS2(SYS_truncate, path, length), event_truncate(path, length, rc))
HOOK_TRACED(int, truncate64, (const char *path, off64_t length), (path, length),
            SYS2(SYS_truncate, path, length), event_truncate(path, length, rc))
HOOK_TRACED(int, utimensat,
            (int dirfd, const char *path, const struct timespec times[2], int flags),
            (dirfd, path, times, flags), RAW_UTIMENSAT(dirfd, path, times, flags),
            event_probe(TRACE_TIMES, nofollow(flags), dirfd, path, rc, 0))
HOOK_TRACED(int, futimens, (int fd, const struct timespec times[2]), (fd, times),
            RAW_UTIMENSAT(fd, NULL, times, 0), event_fd(TRACE_TIMES, fd, rc, 0))
HOOK_TRACED(int, utime, (const char *path, const struct utimbuf *times), (path, times),
            raw_utime(path, times), event_probe(TRACE_TIMES, 0, AT_FDCWD, path, rc, 0))
HOOK_TRACED(int, utimes, (const char *path, const struct timeval times[2]), (path, times),
            raw_utimes(AT_FDCWD, path, times, 0),
            event_probe(TRACE_TIMES, 0, AT_FDCWD, path, rc, 0))
HOOK_TRACED(int, lutimes, (const char *path, const struct timeval times[2]), (path, times),
            raw_utimes(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW),
            event_probe(TRACE_TIMES, TRACE_FLAG_NOFOLLOW, AT_FDCWD, path, rc, 0))
HOOK_TRACED(int, futimes, (int fd, const struct timeval times[2]), (fd, times),
            raw_utimes(fd, NULL, times, 0), event_fd(TRACE_TIMES, fd, rc, 0))
HOOK_TRACED(int, futimesat, (int dirfd, const char *path, const struct timeval times[2]),
            (dirfd, path, times), raw_utimes(dirfd, path, times, 0), event_times(dirfd, path, rc))
