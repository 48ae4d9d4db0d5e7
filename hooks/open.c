/* hooks/open.c - open, openat, creat under all their names.
 *
 * _FORTIFY_SOURCE turns a call without a mode into the _2 forms; libc ends the program when they
 * ask for O_CREAT, and the real function still does. */
#include "hooks/drawn.h"
#include "hooks/event.h"

EXPORT int __open_2(const char *path, int flags);
EXPORT int __open64_2(const char *path, int flags);
EXPORT int __openat_2(int dirfd, const char *path, int flags);
EXPORT int __openat64_2(int dirfd, const char *path, int flags);

/* The mode of a variadic call is in the same register as a named parameter (System V on x86-64,
 * AAPCS64). So these hooks, under names of their own, declare it: no register is saved for a
 * va_list, and the fast path is a jump. Without O_CREAT and O_TMPFILE the register holds anything,
 * which libc and the kernel ignore. */
EXPORT int hook_open(const char *path, int flags, mode_t mode) __asm__("open");
EXPORT int hook_open64(const char *path, int flags, mode_t mode) __asm__("open64");
EXPORT int hook_openat(int dirfd, const char *path, int flags, mode_t mode) __asm__("openat");
EXPORT int hook_openat64(int dirfd, const char *path, int flags, mode_t mode) __asm__("openat64");

static void opened(const struct event_open *e, int fd)
{
	event_open_after(e, fd);
	if (fd >= 0 && e->flags & O_CREAT && !e->before)
		drawn_named(e->path);
	else if (fd >= 0 && (e->flags & O_ACCMODE) == O_RDONLY)
		drawn_opened(e->path, fd);
}

/* A traced open. Each name's own real function is called, since another preloaded object may wrap
 * only one of them. */
#define TRACED(dirfd, path, flags, mode, call, args) \
	({ \
		struct event_open e; \
		int fd; \
\
		event_open_before(&e, dirfd, path, flags, mode); \
		fd = (call) ? (call) args : hook_result(sys_openat(dirfd, path, flags, mode)); \
		opened(&e, fd); \
		fd; \
	})

static HOOK_SLOW int open_slow(int (*call)(const char *, int, ...), const char *path, int flags,
                               mode_t mode)
{
	return TRACED(AT_FDCWD, path, flags, mode, call, (path, flags, mode));
}

static HOOK_SLOW int openat_slow(int (*call)(int, const char *, int, ...), int dirfd,
                                 const char *path, int flags, mode_t mode)
{
	return TRACED(dirfd, path, flags, mode, call, (dirfd, path, flags, mode));
}

static HOOK_SLOW int creat_slow(int (*call)(const char *, mode_t), const char *path, mode_t mode)
{
	return TRACED(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode, call, (path, mode));
}

static HOOK_SLOW int open_2_slow(int (*call)(const char *, int), const char *path, int flags)
{
	return TRACED(AT_FDCWD, path, flags, 0, call, (path, flags));
}

static HOOK_SLOW int openat_2_slow(int (*call)(int, const char *, int), int dirfd,
                                   const char *path, int flags)
{
	return TRACED(dirfd, path, flags, 0, call, (dirfd, path, flags));
}

/* No trace is recorded. A missing file may be a framework's unit, and a file opened for writing may
 * become one. */
#define OPENED(dirfd, path, flags, call) \
	({ \
		int fd_ = (call); \
		if (__builtin_expect(fd_ < 0, 0)) { \
			if (!((flags) & O_CREAT) && unit_lookup_failed(dirfd, path)) \
				fd_ = (call); \
		} else if (__builtin_expect(((flags) & (O_CREAT | O_ACCMODE)) > O_CREAT, 0)) { \
			unit_opened(fd_, dirfd, path); \
		} else { \
			unit_read(fd_, dirfd, path); \
		} \
		fd_; \
	})

/* A library that somebody else preloads may open its log. */
#define LOGS(name, flags) \
	((flags) & (O_ACCMODE | O_CREAT) && HOOK_ASKED_BY_OTHER(name, PRELOADED_LOG_OPEN))

#define HOOK_OPEN(name, function, params, flags, fast, slow) \
	EXPORT int function params \
	{ \
		if (HOOK_FAST(name) || LOGS(name, flags)) \
			return fast; \
		return slow; \
	}
HOOK_OPEN(open, hook_open, (const char *path, int flags, mode_t mode), flags,
          OPENED(AT_FDCWD, path, flags, real.open(path, flags, mode)),
          open_slow(real.open, path, flags, mode))
HOOK_OPEN(open64, hook_open64, (const char *path, int flags, mode_t mode), flags,
          OPENED(AT_FDCWD, path, flags, real.open64(path, flags, mode)),
          open_slow(real.open64, path, flags, mode))
HOOK_OPEN(openat, hook_openat, (int dirfd, const char *path, int flags, mode_t mode), flags,
          OPENED(dirfd, path, flags, real.openat(dirfd, path, flags, mode)),
          openat_slow(real.openat, dirfd, path, flags, mode))
HOOK_OPEN(openat64, hook_openat64, (int dirfd, const char *path, int flags, mode_t mode), flags,
          OPENED(dirfd, path, flags, real.openat64(dirfd, path, flags, mode)),
          openat_slow(real.openat64, dirfd, path, flags, mode))
HOOK_OPEN(creat, creat, (const char *path, mode_t mode), O_CREAT, real.creat(path, mode),
          creat_slow(real.creat, path, mode))
HOOK_OPEN(creat64, creat64, (const char *path, mode_t mode), O_CREAT, real.creat64(path, mode),
          creat_slow(real.creat64, path, mode))
HOOK_OPEN(__open_2, __open_2, (const char *path, int flags), flags, real.__open_2(path, flags),
          open_2_slow(real.__open_2, path, flags))
HOOK_OPEN(__open64_2, __open64_2, (const char *path, int flags), flags,
          real.__open64_2(path, flags), open_2_slow(real.__open64_2, path, flags))
HOOK_OPEN(__openat_2, __openat_2, (int dirfd, const char *path, int flags), flags,
          real.__openat_2(dirfd, path, flags), openat_2_slow(real.__openat_2, dirfd, path, flags))
HOOK_OPEN(__openat64_2, __openat64_2, (int dirfd, const char *path, int flags), flags,
          real.__openat64_2(dirfd, path, flags),
          openat_2_slow(real.__openat64_2, dirfd, path, flags))
