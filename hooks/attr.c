/* hooks/attr.c - mode, owner, times and length of files by name, and changes by fchmod and futimens
 * through a descriptor. The trace already has the file's content: the file was opened for
 * writing. */
#include "hooks/event.h"

#define RAW_UTIMENSAT(dirfd, path, times, flags) \
	SYS4(SYS_utimensat, dirfd, path, times, flags)

/* Converts the times of the older calls for the system call that both machines have. */
static const struct timespec *times_of(struct timespec out[2], const struct timeval times[2])
{
	int i;

	for (i = 0; times && i < 2; i++) {
		out[i].tv_sec = times[i].tv_sec;
		out[i].tv_nsec = times[i].tv_usec * 1000;
	}
	return times ? out : NULL;
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

EXPORT int chmod(const char *path, mode_t mode)
{
	int rc;

	if (HOOK_FAST(chmod))
		return real.chmod(path, mode);
	rc = HOOK_CALL(chmod, SYS3(SYS_fchmodat, AT_FDCWD, path, mode), (path, mode));
	event_probe(TRACE_CHMOD, 0, AT_FDCWD, path, rc, mode);
	return rc;
}

EXPORT int fchmod(int fd, mode_t mode)
{
	int rc;

	if (HOOK_FAST(fchmod))
		return real.fchmod(fd, mode);
	rc = HOOK_CALL(fchmod, sys_fchmod(fd, mode), (fd, mode));
	event_fd(TRACE_CHMOD, fd, rc, mode);
	return rc;
}

EXPORT int fchmodat(int dirfd, const char *path, mode_t mode, int flags)
{
	int rc;

	if (HOOK_FAST(fchmodat))
		return real.fchmodat(dirfd, path, mode, flags);
	rc = HOOK_CALL(fchmodat, raw_fchmodat(dirfd, path, mode, flags),
	               (dirfd, path, mode, flags));
	event_probe(TRACE_CHMOD, nofollow(flags), dirfd, path, rc, mode);
	return rc;
}

EXPORT int chown(const char *path, uid_t uid, gid_t gid)
{
	int rc;

	if (HOOK_FAST(chown))
		return real.chown(path, uid, gid);
	rc = HOOK_CALL(chown, SYS5(SYS_fchownat, AT_FDCWD, path, uid, gid, 0), (path, uid, gid));
	event_other("chown", AT_FDCWD, path, rc);
	return rc;
}

EXPORT int lchown(const char *path, uid_t uid, gid_t gid)
{
	int rc;

	if (HOOK_FAST(lchown))
		return real.lchown(path, uid, gid);
	rc = HOOK_CALL(lchown, SYS5(SYS_fchownat, AT_FDCWD, path, uid, gid, AT_SYMLINK_NOFOLLOW),
	               (path, uid, gid));
	event_other("lchown", AT_FDCWD, path, rc);
	return rc;
}

EXPORT int fchownat(int dirfd, const char *path, uid_t uid, gid_t gid, int flags)
{
	int rc;

	if (HOOK_FAST(fchownat))
		return real.fchownat(dirfd, path, uid, gid, flags);
	rc = HOOK_CALL(fchownat, SYS5(SYS_fchownat, dirfd, path, uid, gid, flags),
	               (dirfd, path, uid, gid, flags));
	event_other("fchownat", dirfd, path, rc);
	return rc;
}

EXPORT int truncate(const char *path, off_t length)
{
	int rc;

	if (HOOK_FAST(truncate))
		return real.truncate(path, length);
	rc = HOOK_CALL(truncate, SYS2(SYS_truncate, path, length), (path, length));
	event_truncate(path, length, rc);
	return rc;
}

EXPORT int truncate64(const char *path, off64_t length)
{
	int rc;

	if (HOOK_FAST(truncate64))
		return real.truncate64(path, length);
	rc = HOOK_CALL(truncate64, SYS2(SYS_truncate, path, length), (path, length));
	event_truncate(path, length, rc);
	return rc;
}

EXPORT int utimensat(int dirfd, const char *path, const struct timespec times[2], int flags)
{
	int rc;

	if (HOOK_FAST(utimensat))
		return real.utimensat(dirfd, path, times, flags);
	rc = HOOK_CALL(utimensat, RAW_UTIMENSAT(dirfd, path, times, flags),
	               (dirfd, path, times, flags));
	event_probe(TRACE_TIMES, nofollow(flags), dirfd, path, rc, 0);
	return rc;
}

EXPORT int futimens(int fd, const struct timespec times[2])
{
	int rc;

	if (HOOK_FAST(futimens))
		return real.futimens(fd, times);
	rc = HOOK_CALL(futimens, RAW_UTIMENSAT(fd, NULL, times, 0), (fd, times));
	event_fd(TRACE_TIMES, fd, rc, 0);
	return rc;
}

EXPORT int utime(const char *path, const struct utimbuf *times)
{
	int rc;

	if (HOOK_FAST(utime))
		return real.utime(path, times);
	rc = HOOK_CALL(utime, raw_utime(path, times), (path, times));
	event_probe(TRACE_TIMES, 0, AT_FDCWD, path, rc, 0);
	return rc;
}

EXPORT int utimes(const char *path, const struct timeval times[2])
{
	struct timespec ts[2];
	int rc;

	if (HOOK_FAST(utimes))
		return real.utimes(path, times);
	rc = HOOK_CALL(utimes, RAW_UTIMENSAT(AT_FDCWD, path, times_of(ts, times), 0),
	               (path, times));
	event_probe(TRACE_TIMES, 0, AT_FDCWD, path, rc, 0);
	return rc;
}

EXPORT int lutimes(const char *path, const struct timeval times[2])
{
	struct timespec ts[2];
	int rc;

	if (HOOK_FAST(lutimes))
		return real.lutimes(path, times);
	rc = HOOK_CALL(lutimes,
	               RAW_UTIMENSAT(AT_FDCWD, path, times_of(ts, times), AT_SYMLINK_NOFOLLOW),
	               (path, times));
	event_probe(TRACE_TIMES, TRACE_FLAG_NOFOLLOW, AT_FDCWD, path, rc, 0);
	return rc;
}

EXPORT int futimes(int fd, const struct timeval times[2])
{
	struct timespec ts[2];
	int rc;

	if (HOOK_FAST(futimes))
		return real.futimes(fd, times);
	rc = HOOK_CALL(futimes, RAW_UTIMENSAT(fd, NULL, times_of(ts, times), 0), (fd, times));
	event_fd(TRACE_TIMES, fd, rc, 0);
	return rc;
}

EXPORT int futimesat(int dirfd, const char *path, const struct timeval times[2])
{
	struct timespec ts[2];
	int rc;

	if (HOOK_FAST(futimesat))
		return real.futimesat(dirfd, path, times);
	rc = HOOK_CALL(futimesat, RAW_UTIMENSAT(dirfd, path, times_of(ts, times), 0),
	               (dirfd, path, times));
	if (path)
		event_probe(TRACE_TIMES, 0, dirfd, path, rc, 0);
	else
		event_fd(TRACE_TIMES, dirfd, rc, 0);
	return rc;
}
