/* hooks/event.c - turns a file call and its result into events of the trace. */
#include "hooks/caller.h"

#include <string.h>

#include "shim/kernel/realpath.h"

/* A descriptor's path longer than this refuses the trace: two whole path buffers do not fit the 16
 * KiB stacks of some threads. */
#define FD_PATH_SIZE 1024
#define LINK_TEXT_SIZE 4096

/* st_mode of path, or 0. */
static unsigned mode_of(int dirfd, const char *path, int at_flags)
{
	struct statx st;

	if (sys_statx(dirfd, path, at_flags | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_MODE, &st) < 0)
		return 0;
	return st.stx_mode;
}

static int is_tmpfile(int flags)
{
	return (flags & O_TMPFILE) == O_TMPFILE;
}

static int is_random_device(const char *path)
{
	return strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

static unsigned reading(int flags)
{
	return (flags & (O_ACCMODE | O_CREAT | O_PATH)) == O_RDONLY ? TRACE_FLAG_READING : 0;
}

static unsigned nofollow(int flags)
{
	return flags & O_NOFOLLOW ? TRACE_FLAG_NOFOLLOW : 0;
}

/* Two failures mean that the path exists: O_DIRECTORY on a file, O_NOFOLLOW on a link. */
static void open_failed(const struct event_open *e, int error)
{
	unsigned mode = 0;

	if (error == EEXIST && (e->flags & O_EXCL)) {
		trace_path(TRACE_PRESENT, TRACE_FLAG_NOFOLLOW, e->dirfd, e->path, e->before);
		return;
	}
	if (error == ENOTDIR && (e->flags & O_DIRECTORY))
		mode = mode_of(e->dirfd, e->path, e->flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0);
	else if (error == ELOOP && (e->flags & O_NOFOLLOW))
		mode = mode_of(e->dirfd, e->path, AT_SYMLINK_NOFOLLOW);
	if (mode)
		trace_path(TRACE_PRESENT, nofollow(e->flags), e->dirfd, e->path, mode);
	else
		trace_probe(TRACE_PRESENT,
		            nofollow(e->flags) | reading(e->flags) |
		                    (e->flags & O_CREAT ? TRACE_FLAG_KEEPS : 0),
		            e->dirfd, e->path, error, 0);
}

void event_open_before(struct event_open *e, int dirfd, const char *path, int flags, mode_t mode)
{
	struct timespec now;

	e->path = path;
	e->dirfd = dirfd;
	e->flags = flags;
	e->mode = mode;
	e->before = 0;
	e->at = 0;
	/* Follows links, as the open does: if the link's target is missing, the open makes a new
	 * file. */
	if (trace_active && (flags & O_CREAT))
		e->before = mode_of(dirfd, path, flags & (O_EXCL | O_NOFOLLOW) ? AT_SYMLINK_NOFOLLOW
		                                                               : 0);
	else if (trace_active && sys_clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0)
		e->at = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void event_open_after(const struct event_open *e, int fd)
{
	int made = (e->flags & O_CREAT) && !e->before;
	unsigned flags = nofollow(e->flags);

	if (!trace_active)
		return;
	if (fd < 0) {
		if (errno != EFAULT)
			open_failed(e, errno);
	} else if (e->flags & O_PATH) {
		trace_path(TRACE_PRESENT, flags, e->dirfd, e->path, mode_of(fd, "", AT_EMPTY_PATH));
	} else if (is_tmpfile(e->flags)) {
		return; /* no name yet: linkat may give it one */
	} else if (e->flags & O_DIRECTORY) {
		trace_path(TRACE_LIST, flags, e->dirfd, e->path, trace_identity_at(fd, ""));
	} else if ((made || (e->flags & O_ACCMODE) != O_RDONLY) && preloaded_others &&
	           preloaded_may_make(e->path)) {
		trace_text(TRACE_OTHER, 0, "a preloaded library may write it", e->path, 0);
	} else if (made || (e->flags & O_TRUNC)) {
		flags |= made ? 0 : TRACE_FLAG_EXISTED;
		flags |= made && (e->flags & O_EXCL) ? TRACE_FLAG_EXCL : 0;
		flags |= e->flags & O_TRUNC ? 0 : TRACE_FLAG_KEEPS;
		flags |= (e->flags & O_ACCMODE) == O_WRONLY ? TRACE_FLAG_ONLY : 0;
		trace_write(flags, e->dirfd, e->path, fd,
		            e->before << 16 | (e->flags & O_CREAT ? S_IFREG | (e->mode & 07777)
		                                                  : 0));
	} else if ((e->flags & O_ACCMODE) != O_RDONLY) {
		flags |= e->flags & O_CREAT ? TRACE_FLAG_KEEPS : 0;
		trace_path(TRACE_UPDATE, flags, e->dirfd, e->path, e->before);
	} else {
		trace_read(flags, e->dirfd, e->path, trace_identity_at(fd, ""), e->at);
		if (caller_matters && is_random_device(e->path))
			chance_opened(e->path);
	}
}

void event_probe(enum trace_op found, unsigned flags, int dirfd, const char *path, long rc,
                 unsigned arg)
{
	if (!trace_active || (rc < 0 && errno == EFAULT))
		return;
	trace_probe(found, flags, dirfd, path, rc < 0 ? errno : 0, arg);
}

void event_access(unsigned flags, int dirfd, const char *path, int rc, int permissions)
{
	int error = rc < 0 ? errno : 0;
	/* Other bits are EINVAL. */
	int asks = permissions > F_OK && permissions <= (R_OK | W_OK | X_OK);
	unsigned asked = asks ? TRACE_ASKED(permissions) : 0, mode = 0;

	if (!trace_active || error == EFAULT)
		return;
	if (!error && flags & TRACE_FLAG_NOFOLLOW)
		mode = mode_of(dirfd, path, AT_SYMLINK_NOFOLLOW);
	/* A link itself has no permissions. */
	if (!error && S_ISLNK(mode))
		asks = 0;
	if (!error)
		trace_path(TRACE_PRESENT, flags, dirfd, path,
		           asks ? mode | asked | TRACE_GRANTED(permissions) : mode);
	else if (error == ENOENT || error == ENOTDIR)
		trace_path(TRACE_ABSENT, flags, dirfd, path, 0);
	else
		trace_path(TRACE_FAILED, flags, dirfd, path, (unsigned)error | asked);
}

void event_dir(int dirfd, const char *path, int failed, unsigned identity)
{
	struct event_open e = {.path = path, .dirfd = dirfd, .flags = O_RDONLY | O_DIRECTORY};

	if (!trace_active)
		return;
	if (!failed)
		trace_path(TRACE_LIST, 0, dirfd, path, identity);
	else if (errno != EFAULT)
		open_failed(&e, errno);
}

void event_make(enum trace_op made, int dirfd, const char *path, long rc, unsigned arg)
{
	if (!trace_active)
		return;
	if (rc < 0 && errno == EEXIST)
		trace_path(TRACE_PRESENT, TRACE_FLAG_NOFOLLOW, dirfd, path, 0);
	else
		event_probe(made, 0, dirfd, path, rc, arg);
}

void event_stat(int dirfd, const char *path, int at_flags, int rc, unsigned mode)
{
	event_probe(TRACE_STAT, at_flags & AT_SYMLINK_NOFOLLOW ? TRACE_FLAG_NOFOLLOW : 0, dirfd,
	            path, rc, mode);
}

void event_pair(enum trace_op op, unsigned flags, int dirfd_a, const char *a, int dirfd_b,
                const char *b, int rc)
{
	int error = errno;

	if (!trace_active)
		return;
	if (rc >= 0)
		trace_path2(op, flags, dirfd_a, a, dirfd_b, b, 0);
	else if (error == EFAULT)
		return;
	else if ((error == ENOENT || error == ENOTDIR) &&
	         !mode_of(dirfd_a, a, AT_SYMLINK_NOFOLLOW))
		trace_path(TRACE_ABSENT, TRACE_FLAG_NOFOLLOW, dirfd_a, a, 0);
	else
		event_make(op, dirfd_b, b, rc, 0);
}

void event_readlink(int dirfd, const char *path, const char *target, ssize_t n)
{
	/* The link made absolute, a NUL, the target: one buffer, since stacks may be small. */
	char text[LINK_TEXT_SIZE];
	unsigned flags = TRACE_FLAG_NOFOLLOW;
	size_t len, dir = 0;

	if (!trace_active)
		return;
	if (n < 0) {
		if (errno == EINVAL)
			trace_path(TRACE_PRESENT, flags, dirfd, path,
			           mode_of(dirfd, path, AT_SYMLINK_NOFOLLOW));
		else
			event_probe(TRACE_READLINK, flags, dirfd, path, n, 0);
		return;
	}
	if (!path[0]) /* a descriptor on a link, opened with O_PATH */
		return;
	len = strlen(path) + 1;
	if (path[0] != '/') {
		dir = fdpath_base(text, sizeof text, dirfd);
		flags |= dirfd == AT_FDCWD ? TRACE_FLAG_RELATIVE : 0;
		if (!dir)
			len = sizeof text;
	}
	if (dir + len + (size_t)n + 1 > sizeof text) {
		trace_text(TRACE_READLINK, flags | TRACE_FLAG_CUT, "", "", 0);
		return;
	}
	memcpy(text + dir, path, len);
	memcpy(text + dir + len, target, (size_t)n);
	text[dir + len + (size_t)n] = '\0';
	trace_text(TRACE_READLINK, flags, text, text + dir + len, 0);
}

void event_realpath(const char *path, const char *answer)
{
	if (!trace_active)
		return;
	if (answer)
		trace_path2(TRACE_REALPATH, 0, AT_FDCWD, path, AT_FDCWD, answer, 0);
	else
		event_probe(TRACE_PRESENT, 0, AT_FDCWD, path, -1, 0);
}

void event_fd(enum trace_op op, int fd, int rc, unsigned arg)
{
	static const char removed[] = " (deleted)";
	char path[FD_PATH_SIZE];
	ssize_t n;

	if (!trace_active || rc < 0 || fd < 0)
		return;
	n = fdpath(path, sizeof path, fd);
	if (n <= 0) {
		trace_text(TRACE_OTHER, 0, "change through a descriptor", "", 0);
		return;
	}
	if (path[0] != '/')
		return;
	if ((size_t)n >= sizeof removed && strcmp(path + n - (sizeof removed - 1), removed) == 0)
		return;
	trace_path(op, 0, AT_FDCWD, path, op == TRACE_LIST ? trace_identity_at(fd, "") : arg);
}

void event_other(const char *what, int dirfd, const char *path, int rc)
{
	if (!trace_active)
		return;
	if (rc < 0)
		event_make(TRACE_PRESENT, dirfd, path, rc, 0);
	else
		trace_text(TRACE_OTHER, 0, what, path, 0);
}
