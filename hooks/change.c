/* hooks/change.c - calls that make, move and remove names. */
#include "hooks/drawn.h"
#include "hooks/event.h"

#include <string.h>

#define RAW_RENAME(from_fd, from, to_fd, to, flags) \
	SYS5(SYS_renameat2, from_fd, from, to_fd, to, flags)
#define RAW_LINK(from_fd, from, to_fd, to, flags) \
	SYS5(SYS_linkat, from_fd, from, to_fd, to, flags)

/* True if a file without a name gets one: its content was written only through a descriptor. */
static int is_unnamed(const char *from, int flags)
{
	return (flags & AT_EMPTY_PATH) || strncmp(from, "/proc/", sizeof "/proc/" - 1) == 0 ||
	       strncmp(from, "/dev/fd/", sizeof "/dev/fd/" - 1) == 0;
}

static void event_link(int from_fd, const char *from, int to_fd, const char *to, int flags, int rc)
{
	if (trace_active && rc == 0 && is_unnamed(from, flags))
		event_other("linkat", to_fd, to, 0);
	else
		event_pair(TRACE_LINK, flags & AT_SYMLINK_FOLLOW ? 0 : TRACE_FLAG_NOFOLLOW, from_fd,
		           from, to_fd, to, rc);
}

/* The link's text is not a path; only the new name can be the cause of a failure. */
static void event_symlink(const char *text, int dirfd, const char *path, int rc)
{
	if (!trace_active)
		return;
	if (rc == 0)
		trace_path2(TRACE_LINK, TRACE_FLAG_SYMBOLIC, AT_FDCWD, text, dirfd, path, 0);
	else
		event_make(TRACE_LINK, dirfd, path, rc, 0);
}

/* No trace is recorded, but the rename may complete a framework's unit. */
#define RENAMED(from_fd, from, to_fd, to, call) \
	({ \
		uint64_t made_ = unit_rename_begins(from_fd, from, to); \
		int rc_ = (call); \
		if (rc_ == 0) \
			unit_renamed(to_fd, to, made_); \
		rc_; \
	})

static void event_renamed(int from_fd, const char *from, int to_fd, const char *to, unsigned flags,
                          int rc)
{
	if (rc == 0 && (flags & ~RENAME_NOREPLACE))
		event_other("renameat2", to_fd, to, rc);
	else
		event_pair(TRACE_RENAME, 0, from_fd, from, to_fd, to, rc);
}

HOOK_TRACED_OR(int, rename, (const char *from, const char *to), (from, to),
               RENAMED(AT_FDCWD, from, AT_FDCWD, to, real.rename(from, to)), sys_rename(from, to),
               event_pair(TRACE_RENAME, 0, AT_FDCWD, from, AT_FDCWD, to, rc))
HOOK_TRACED_OR(int, renameat, (int from_fd, const char *from, int to_fd, const char *to),
               (from_fd, from, to_fd, to),
               RENAMED(from_fd, from, to_fd, to, real.renameat(from_fd, from, to_fd, to)),
               RAW_RENAME(from_fd, from, to_fd, to, 0),
               event_pair(TRACE_RENAME, 0, from_fd, from, to_fd, to, rc))
HOOK_TRACED_OR(int, renameat2,
               (int from_fd, const char *from, int to_fd, const char *to, unsigned flags),
               (from_fd, from, to_fd, to, flags),
               RENAMED(from_fd, from, to_fd, to, real.renameat2(from_fd, from, to_fd, to, flags)),
               RAW_RENAME(from_fd, from, to_fd, to, flags),
               event_renamed(from_fd, from, to_fd, to, flags, rc))

/* A tool may succeed although one of its writes failed (nvcc -M), and free the space when it
 * removes its temporaries. */
static void event_removing(int dirfd, const char *path)
{
	struct statfs fs;
	int rc;

	if (!trace_active)
		return;
	rc = (int)(dirfd == AT_FDCWD ? SYS2(SYS_statfs, path, &fs) : SYS2(SYS_fstatfs, dirfd, &fs));
	if (rc == 0 && sys_is_full(&fs))
		trace_text(TRACE_OTHER, 0, "a file was removed from a full disk", "", 0);
}

EXPORT int unlink(const char *path)
{
	int rc;

	if (HOOK_FAST(unlink))
		return real.unlink(path);
	event_removing(AT_FDCWD, path);
	rc = HOOK_CALL(unlink, sys_unlink(path), (path));
	event_probe(TRACE_UNLINK, TRACE_FLAG_NOFOLLOW, AT_FDCWD, path, rc, 0);
	return rc;
}

EXPORT int unlinkat(int dirfd, const char *path, int flags)
{
	int rc;

	if (HOOK_FAST(unlinkat))
		return real.unlinkat(dirfd, path, flags);
	event_removing(dirfd, path);
	rc = HOOK_CALL(unlinkat, SYS3(SYS_unlinkat, dirfd, path, flags), (dirfd, path, flags));
	event_probe(TRACE_UNLINK, TRACE_FLAG_NOFOLLOW, dirfd, path, rc,
	            flags & AT_REMOVEDIR ? S_IFDIR : 0);
	return rc;
}

EXPORT int remove(const char *path)
{
	long raw;
	int rc;

	if (HOOK_FAST(remove))
		return real.remove(path);
	event_removing(AT_FDCWD, path);
	if (real.remove) {
		rc = real.remove(path);
	} else {
		raw = sys_unlink(path);
		rc = hook_result(raw == -EISDIR ? sys_rmdir(path) : raw);
	}
	event_probe(TRACE_UNLINK, TRACE_FLAG_NOFOLLOW, AT_FDCWD, path, rc, 0);
	return rc;
}

EXPORT int rmdir(const char *path)
{
	int rc;

	if (HOOK_FAST(rmdir)) {
		rc = real.rmdir(path);
		if (__builtin_expect(rc < 0, 0) && unit_not_empty(path))
			rc = real.rmdir(path);
		return rc;
	}
	rc = HOOK_CALL(rmdir, sys_rmdir(path), (path));
	event_probe(TRACE_UNLINK, TRACE_FLAG_NOFOLLOW, AT_FDCWD, path, rc, S_IFDIR);
	return rc;
}

static void made_directory(int dirfd, const char *path, mode_t mode, int rc)
{
	event_make(TRACE_MKDIR, dirfd, path, rc, mode);
	if (rc == 0)
		drawn_named(path);
}

HOOK_TRACED(int, mkdir, (const char *path, mode_t mode), (path, mode), sys_mkdir(path, mode),
            made_directory(AT_FDCWD, path, mode, rc))
HOOK_TRACED(int, mkdirat, (int dirfd, const char *path, mode_t mode), (dirfd, path, mode),
            SYS3(SYS_mkdirat, dirfd, path, mode), made_directory(dirfd, path, mode, rc))
HOOK_TRACED(int, link, (const char *from, const char *to), (from, to), sys_link(from, to),
            event_link(AT_FDCWD, from, AT_FDCWD, to, 0, rc))
HOOK_TRACED(int, linkat, (int from_fd, const char *from, int to_fd, const char *to, int flags),
            (from_fd, from, to_fd, to, flags), RAW_LINK(from_fd, from, to_fd, to, flags),
            event_link(from_fd, from, to_fd, to, flags, rc))
HOOK_TRACED(int, symlink, (const char *text, const char *path), (text, path),
            SYS3(SYS_symlinkat, text, AT_FDCWD, path), event_symlink(text, AT_FDCWD, path, rc))
HOOK_TRACED(int, symlinkat, (const char *text, int dirfd, const char *path), (text, dirfd, path),
            SYS3(SYS_symlinkat, text, dirfd, path), event_symlink(text, dirfd, path, rc))
HOOK_TRACED(int, mknod, (const char *path, mode_t mode, dev_t dev), (path, mode, dev),
            SYS4(SYS_mknodat, AT_FDCWD, path, mode, dev), event_other("mknod", AT_FDCWD, path, rc))
HOOK_TRACED(int, mknodat, (int dirfd, const char *path, mode_t mode, dev_t dev),
            (dirfd, path, mode, dev), SYS4(SYS_mknodat, dirfd, path, mode, dev),
            event_other("mknod", dirfd, path, rc))
HOOK_TRACED(int, mkfifo, (const char *path, mode_t mode), (path, mode),
            SYS4(SYS_mknodat, AT_FDCWD, path, mode | S_IFIFO, 0),
            event_other("mkfifo", AT_FDCWD, path, rc))
HOOK_TRACED(int, mkfifoat, (int dirfd, const char *path, mode_t mode), (dirfd, path, mode),
            SYS4(SYS_mknodat, dirfd, path, mode | S_IFIFO, 0),
            event_other("mkfifo", dirfd, path, rc))
