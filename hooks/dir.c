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

HOOK_LATE_TRACED(int, scandir,
                 (const char *path, struct dirent ***list, int (*want)(const struct dirent *),
                  int (*compare)(const struct dirent **, const struct dirent **)),
                 (path, list, want, compare), hook_result(-ENOSYS),
                 event_dir(AT_FDCWD, path, rc < 0, 0))
HOOK_LATE_TRACED(int, scandir64,
                 (const char *path, struct dirent64 ***list, int (*want)(const struct dirent64 *),
                  int (*compare)(const struct dirent64 **, const struct dirent64 **)),
                 (path, list, want, compare), hook_result(-ENOSYS),
                 event_dir(AT_FDCWD, path, rc < 0, 0))
HOOK_LATE_TRACED(int, scandirat,
                 (int dirfd, const char *path, struct dirent ***list,
                  int (*want)(const struct dirent *),
                  int (*compare)(const struct dirent **, const struct dirent **)),
                 (dirfd, path, list, want, compare), hook_result(-ENOSYS),
                 event_dir(dirfd, path, rc < 0, 0))
HOOK_LATE_TRACED(int, scandirat64,
                 (int dirfd, const char *path, struct dirent64 ***list,
                  int (*want)(const struct dirent64 *),
                  int (*compare)(const struct dirent64 **, const struct dirent64 **)),
                 (dirfd, path, list, want, compare), hook_result(-ENOSYS),
                 event_dir(dirfd, path, rc < 0, 0))
HOOK_LATE_TRACED(int, glob,
                 (const char *pattern, int flags, int (*failed)(const char *, int), glob_t *found),
                 (pattern, flags, failed, found), GLOB_NOSYS, event_glob(pattern))
HOOK_LATE_TRACED(int, glob64,
                 (const char *pattern, int flags, int (*failed)(const char *, int),
                  glob64_t *found),
                 (pattern, flags, failed, found), GLOB_NOSYS, event_glob(pattern))
