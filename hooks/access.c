/* hooks/access.c - questions about a path: access, readlink, realpath. realpath's readlinks are
 * inside libc and invisible, so realpath is an event of its own. */
#include "hooks/event.h"

EXPORT ssize_t __readlink_chk(const char *path, char *buf, size_t n, size_t size);
EXPORT ssize_t __readlinkat_chk(int dirfd, const char *path, char *buf, size_t n, size_t size);
EXPORT char *__realpath_chk(const char *path, char *answer, size_t size);

#define RAW_READLINK(dirfd, path, buf, n) SYS4(SYS_readlinkat, dirfd, path, buf, n)

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

HOOK_SPLIT(int, access, (const char *path, int mode),
           HOOK_LOOKUP(AT_FDCWD, path, real.access(path, mode)), access_slow(path, mode))
HOOK_TRACED_OR(int, faccessat, (int dirfd, const char *path, int mode, int flags),
               (dirfd, path, mode, flags),
               HOOK_LOOKUP(dirfd, path, real.faccessat(dirfd, path, mode, flags)),
               raw_faccessat(dirfd, path, mode, flags),
               event_access(flags & AT_SYMLINK_NOFOLLOW ? TRACE_FLAG_NOFOLLOW : 0, dirfd, path, rc,
                            mode))
HOOK_TRACED(int, euidaccess, (const char *path, int mode), (path, mode),
            raw_faccessat(AT_FDCWD, path, mode, AT_EACCESS),
            event_access(0, AT_FDCWD, path, rc, mode))
HOOK_TRACED(int, eaccess, (const char *path, int mode), (path, mode),
            raw_faccessat(AT_FDCWD, path, mode, AT_EACCESS),
            event_access(0, AT_FDCWD, path, rc, mode))
HOOK_TRACED(ssize_t, readlink, (const char *path, char *buf, size_t n), (path, buf, n),
            RAW_READLINK(AT_FDCWD, path, buf, n), event_readlink(AT_FDCWD, path, buf, rc))
HOOK_TRACED(ssize_t, readlinkat, (int dirfd, const char *path, char *buf, size_t n),
            (dirfd, path, buf, n), RAW_READLINK(dirfd, path, buf, n),
            event_readlink(dirfd, path, buf, rc))
HOOK_TRACED(ssize_t, __readlink_chk, (const char *path, char *buf, size_t n, size_t size),
            (path, buf, n, size), RAW_READLINK(AT_FDCWD, path, buf, n < size ? n : size),
            event_readlink(AT_FDCWD, path, buf, rc))
HOOK_TRACED(ssize_t, __readlinkat_chk,
            (int dirfd, const char *path, char *buf, size_t n, size_t size),
            (dirfd, path, buf, n, size), RAW_READLINK(dirfd, path, buf, n < size ? n : size),
            event_readlink(dirfd, path, buf, rc))
HOOK_LATE_TRACED(char *, realpath, (const char *path, char *answer), (path, answer), hook_missing(),
                 event_realpath(path, rc))
HOOK_LATE_TRACED(char *, __realpath_chk, (const char *path, char *answer, size_t size),
                 (path, answer, size), hook_missing(), event_realpath(path, rc))
HOOK_LATE_TRACED(char *, canonicalize_file_name, (const char *path), (path), hook_missing(),
                 event_realpath(path, rc))

/* --- the working directory --- */

EXPORT char *__getcwd_chk(char *buf, size_t n, size_t size);

static void event_getcwd(const char *answer)
{
	if (trace_active && answer)
		trace_text(TRACE_GETCWD, 0, answer, NULL, 0);
}

HOOK_LATE_TRACED(char *, getcwd, (char *buf, size_t n), (buf, n), hook_missing(), event_getcwd(rc))
HOOK_LATE_TRACED(char *, __getcwd_chk, (char *buf, size_t n, size_t size), (buf, n, size),
                 hook_missing(), event_getcwd(rc))
HOOK_LATE_TRACED(char *, get_current_dir_name, (void), (), hook_missing(), event_getcwd(rc))
