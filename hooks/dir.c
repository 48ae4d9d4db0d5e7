/* hooks/dir.c - calls that read the names in directories: opendir, readdir, scandir, glob.
 *
 * x86-64 has two versions of glob; before glibc 2.27 it omitted dangling links. The default version
 * is called, as for every hooked name with versions. ftw, nftw and fts are not hooked: no tool uses
 * them, and old programs need the older version of nftw. */
#include "hooks/event.h"

#include <string.h>

#include "units/find/listing.h"

/* For the directory of a pattern; a longer one refuses the trace. On the stack beside a path
 * buffer. */
#define GLOB_DIR_SIZE 1024

/* Records the directory that a pattern lists: one, unless a wildcard is before its last "/". */
static void event_glob(const char *pattern)
{
	char dir[GLOB_DIR_SIZE];
	const char *slash = strrchr(pattern, '/');
	size_t len = slash ? (size_t)(slash - pattern) : 0;
	struct statx st;
	int rc;

	if (!trace_active)
		return;
	if (len >= sizeof dir || pattern[0] == '~' || strpbrk(pattern, "{\\") ||
	    strcspn(pattern, "*?[") < len) {
		trace_text(TRACE_OTHER, 0, "glob", pattern, 0);
		return;
	}
	if (!slash)
		dir[len++] = '.';
	else if (!len)
		dir[len++] = '/';
	else
		memcpy(dir, pattern, len);
	dir[len] = '\0';
	/* glob does not report whether the directory exists. */
	rc = sys_statx(AT_FDCWD, dir, 0, STATX_TYPE, &st);
	if (rc == 0 && !S_ISDIR(st.stx_mode))
		trace_path(TRACE_PRESENT, 0, AT_FDCWD, dir, st.stx_mode);
	else
		trace_probe(TRACE_LIST, 0, AT_FDCWD, dir, -rc, 0);
}

EXPORT DIR *opendir(const char *path)
{
	__typeof__(real.opendir) call;
	uint64_t mark = 0;
	DIR *dir;

	if (HOOK_FAST(opendir)) {
		dir = real.opendir(path);
		/* Only after the call it is known that the path can be read. */
		if (__builtin_expect((dir || errno == ENOENT) &&
		                     unit_directory_opened(path, &mark), 0)) {
			if (dir)
				closedir(dir);
			dir = real.opendir(path);
		}
		if (dir)
			listing_opened(dirfd(dir), mark);
		return dir;
	}
	call = HOOK_LATE(opendir);
	if (!call)
		return hook_missing();
	dir = call(path);
	event_dir(AT_FDCWD, path, !dir,
	          trace_active && dir ? trace_identity_at(dirfd(dir), "") : 0);
	return dir;
}

EXPORT DIR *fdopendir(int fd)
{
	__typeof__(real.fdopendir) call;
	DIR *dir;

	listing_opened(fd, 0);
	if (HOOK_FAST(fdopendir))
		return real.fdopendir(fd);
	call = HOOK_LATE(fdopendir);
	if (!call)
		return hook_missing();
	dir = call(fd);
	event_fd(TRACE_LIST, fd, dir ? 0 : -1, 0);
	return dir;
}

/* The open of the stream is the event. */
#define READDIR(name, entry) \
	EXPORT struct entry *name(DIR *dir) \
	{ \
		__typeof__(real.name) call = HOOK_LATE(name); \
		struct entry *next; \
\
		if (!call) \
			return hook_missing(); \
		do \
			next = call(dir); \
		while (__builtin_expect(listing_on, 0) && next && \
		       listing_leaves_out(dirfd(dir), next->d_name)); \
		return next; \
	}
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

EXPORT int scandir(const char *path, struct dirent ***list, int (*want)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **))
{
	__typeof__(real.scandir) call;
	int n;

	if (HOOK_FAST(scandir))
		return real.scandir(path, list, want, compare);
	call = HOOK_LATE(scandir);
	if (!call)
		return hook_result(-ENOSYS);
	n = call(path, list, want, compare);
	event_dir(AT_FDCWD, path, n < 0, 0);
	return n;
}

EXPORT int scandir64(const char *path, struct dirent64 ***list,
                     int (*want)(const struct dirent64 *),
                     int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
	__typeof__(real.scandir64) call;
	int n;

	if (HOOK_FAST(scandir64))
		return real.scandir64(path, list, want, compare);
	call = HOOK_LATE(scandir64);
	if (!call)
		return hook_result(-ENOSYS);
	n = call(path, list, want, compare);
	event_dir(AT_FDCWD, path, n < 0, 0);
	return n;
}

EXPORT int scandirat(int dirfd, const char *path, struct dirent ***list,
                     int (*want)(const struct dirent *),
                     int (*compare)(const struct dirent **, const struct dirent **))
{
	__typeof__(real.scandirat) call;
	int n;

	if (HOOK_FAST(scandirat))
		return real.scandirat(dirfd, path, list, want, compare);
	call = HOOK_LATE(scandirat);
	if (!call)
		return hook_result(-ENOSYS);
	n = call(dirfd, path, list, want, compare);
	event_dir(dirfd, path, n < 0, 0);
	return n;
}

EXPORT int scandirat64(int dirfd, const char *path, struct dirent64 ***list,
                       int (*want)(const struct dirent64 *),
                       int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
	__typeof__(real.scandirat64) call;
	int n;

	if (HOOK_FAST(scandirat64))
		return real.scandirat64(dirfd, path, list, want, compare);
	call = HOOK_LATE(scandirat64);
	if (!call)
		return hook_result(-ENOSYS);
	n = call(dirfd, path, list, want, compare);
	event_dir(dirfd, path, n < 0, 0);
	return n;
}

EXPORT int glob(const char *pattern, int flags, int (*failed)(const char *, int), glob_t *found)
{
	__typeof__(real.glob) call;
	int rc;

	if (HOOK_FAST(glob))
		return real.glob(pattern, flags, failed, found);
	call = HOOK_LATE(glob);
	if (!call)
		return GLOB_NOSYS;
	rc = call(pattern, flags, failed, found);
	event_glob(pattern);
	return rc;
}

EXPORT int glob64(const char *pattern, int flags, int (*failed)(const char *, int), glob64_t *found)
{
	__typeof__(real.glob64) call;
	int rc;

	if (HOOK_FAST(glob64))
		return real.glob64(pattern, flags, failed, found);
	call = HOOK_LATE(glob64);
	if (!call)
		return GLOB_NOSYS;
	rc = call(pattern, flags, failed, found);
	event_glob(pattern);
	return rc;
}
