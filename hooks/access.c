/* hooks/access.c - questions about a path: access, readlink, realpath. realpath's readlinks are
 * inside libc and invisible, so realpath is an event of its own. */
#include "hooks/event.h"

EXPORT ssize_t __readlink_chk(const char *path, char *buf, size_t n, size_t size);
EXPORT ssize_t __readlinkat_chk(int dirfd, const char *path, char *buf, size_t n, size_t size);
EXPORT char *__realpath_chk(const char *path, char *answer, size_t size);

#define RAW_READLINK(dirfd, path, buf, n) SYS4(SYS_readlinkat, dirfd, path, buf, n)
/* The result may be longer than an int. */
#define CALL_READLINK(name, dirfd, path, buf, n, args) \
	(real.name ? real.name args : (ssize_t)hook_result(RAW_READLINK(dirfd, path, buf, n)))

/* faccessat as libc implements it: the kernel's old call has no flags. */
static long raw_faccessat(int dirfd, const char *path, int mode, int flags)
{
	long rc;

	if (!flags)
		return SYS3(SYS_faccessat, dirfd, path, mode);
	rc = SYS4(SYS_faccessat2, dirfd, path, mode, flags);
	if (rc == -ENOSYS && !(flags & AT_SYMLINK_NOFOLLOW) && sys_getuid() == sys_geteuid())
		rc = SYS3(SYS_faccessat, dirfd, path, mode);
	return rc;
}

static HOOK_SLOW int access_slow(const char *path, int mode)
{
	int rc = HOOK_CALL(access, sys_access(path, mode), (path, mode));

	event_access(0, AT_FDCWD, path, rc, mode);
	return rc;
}

EXPORT int access(const char *path, int mode)
{
	if (HOOK_FAST(access))
		return HOOK_LOOKUP(AT_FDCWD, path, real.access(path, mode));
	return access_slow(path, mode);
}

EXPORT int faccessat(int dirfd, const char *path, int mode, int flags)
{
	int rc;

	if (HOOK_FAST(faccessat))
		return HOOK_LOOKUP(dirfd, path, real.faccessat(dirfd, path, mode, flags));
	rc = HOOK_CALL(faccessat, raw_faccessat(dirfd, path, mode, flags),
	               (dirfd, path, mode, flags));
	event_access(flags & AT_SYMLINK_NOFOLLOW ? TRACE_FLAG_NOFOLLOW : 0, dirfd, path, rc, mode);
	return rc;
}

EXPORT int euidaccess(const char *path, int mode)
{
	int rc;

	if (HOOK_FAST(euidaccess))
		return real.euidaccess(path, mode);
	rc = HOOK_CALL(euidaccess, raw_faccessat(AT_FDCWD, path, mode, AT_EACCESS), (path, mode));
	event_access(0, AT_FDCWD, path, rc, mode);
	return rc;
}

EXPORT int eaccess(const char *path, int mode)
{
	int rc;

	if (HOOK_FAST(eaccess))
		return real.eaccess(path, mode);
	rc = HOOK_CALL(eaccess, raw_faccessat(AT_FDCWD, path, mode, AT_EACCESS), (path, mode));
	event_access(0, AT_FDCWD, path, rc, mode);
	return rc;
}

EXPORT ssize_t readlink(const char *path, char *buf, size_t n)
{
	ssize_t len;

	if (HOOK_FAST(readlink))
		return real.readlink(path, buf, n);
	len = CALL_READLINK(readlink, AT_FDCWD, path, buf, n, (path, buf, n));
	event_readlink(AT_FDCWD, path, buf, len);
	return len;
}

EXPORT ssize_t readlinkat(int dirfd, const char *path, char *buf, size_t n)
{
	ssize_t len;

	if (HOOK_FAST(readlinkat))
		return real.readlinkat(dirfd, path, buf, n);
	len = CALL_READLINK(readlinkat, dirfd, path, buf, n, (dirfd, path, buf, n));
	event_readlink(dirfd, path, buf, len);
	return len;
}

EXPORT ssize_t __readlink_chk(const char *path, char *buf, size_t n, size_t size)
{
	ssize_t len;

	if (HOOK_FAST(__readlink_chk))
		return real.__readlink_chk(path, buf, n, size);
	len = CALL_READLINK(__readlink_chk, AT_FDCWD, path, buf, n < size ? n : size,
	                    (path, buf, n, size));
	event_readlink(AT_FDCWD, path, buf, len);
	return len;
}

EXPORT ssize_t __readlinkat_chk(int dirfd, const char *path, char *buf, size_t n, size_t size)
{
	ssize_t len;

	if (HOOK_FAST(__readlinkat_chk))
		return real.__readlinkat_chk(dirfd, path, buf, n, size);
	len = CALL_READLINK(__readlinkat_chk, dirfd, path, buf, n < size ? n : size,
	                    (dirfd, path, buf, n, size));
	event_readlink(dirfd, path, buf, len);
	return len;
}

EXPORT char *realpath(const char *path, char *answer)
{
	__typeof__(real.realpath) call;

	if (HOOK_FAST(realpath))
		return real.realpath(path, answer);
	call = HOOK_LATE(realpath);
	if (!call)
		return hook_missing();
	answer = call(path, answer);
	event_realpath(path, answer);
	return answer;
}

EXPORT char *__realpath_chk(const char *path, char *answer, size_t size)
{
	__typeof__(real.__realpath_chk) call;

	if (HOOK_FAST(__realpath_chk))
		return real.__realpath_chk(path, answer, size);
	call = HOOK_LATE(__realpath_chk);
	if (!call)
		return hook_missing();
	answer = call(path, answer, size);
	event_realpath(path, answer);
	return answer;
}

EXPORT char *canonicalize_file_name(const char *path)
{
	__typeof__(real.canonicalize_file_name) call;
	char *answer;

	if (HOOK_FAST(canonicalize_file_name))
		return real.canonicalize_file_name(path);
	call = HOOK_LATE(canonicalize_file_name);
	if (!call)
		return hook_missing();
	answer = call(path);
	event_realpath(path, answer);
	return answer;
}
