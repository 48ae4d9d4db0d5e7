/* hooks/open.c - open, openat, creat under all their names.
 *
 * The _2 forms are what _FORTIFY_SOURCE makes of a call without a mode; libc ends the program when
 * they ask for O_CREAT, and the real function still does. */
#include "hooks/event.h"

#include <stdarg.h>

EXPORT int __open_2(const char *path, int flags);
EXPORT int __open64_2(const char *path, int flags);
EXPORT int __openat_2(int dirfd, const char *path, int flags);
EXPORT int __openat64_2(int dirfd, const char *path, int flags);

/* The argument exists only when a file may be made. */
#define MODE_ARGUMENT(mode, flags)                                                      \
	do {                                                                            \
		if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) {        \
			va_list mode_list;                                              \
			va_start(mode_list, flags);                                     \
			mode = va_arg(mode_list, mode_t);                               \
			va_end(mode_list);                                              \
		}                                                                       \
	} while (0)

/* One traced or early call: the real one between the two halves of the event. */
#define OPEN(name, dirfd, path, flags, mode, args)                                    \
	({                                                                            \
		struct event_open open_event;                                         \
		int open_fd;                                                          \
                                                                                      \
		event_open_before(&open_event, dirfd, path, flags);                   \
		open_fd = HOOK_CALL(name, sys_openat(dirfd, path, flags, mode), args); \
		event_open_after(&open_event, open_fd < 0);                           \
		open_fd;                                                              \
	})

EXPORT int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_ARGUMENT(mode, flags);
	if (HOOK_FAST(open))
		return real.open(path, flags, mode);
	return OPEN(open, AT_FDCWD, path, flags, mode, (path, flags, mode));
}

EXPORT int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_ARGUMENT(mode, flags);
	if (HOOK_FAST(open64))
		return real.open64(path, flags, mode);
	return OPEN(open64, AT_FDCWD, path, flags, mode, (path, flags, mode));
}

EXPORT int openat(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_ARGUMENT(mode, flags);
	if (HOOK_FAST(openat))
		return real.openat(dirfd, path, flags, mode);
	return OPEN(openat, dirfd, path, flags, mode, (dirfd, path, flags, mode));
}

EXPORT int openat64(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_ARGUMENT(mode, flags);
	if (HOOK_FAST(openat64))
		return real.openat64(dirfd, path, flags, mode);
	return OPEN(openat64, dirfd, path, flags, mode, (dirfd, path, flags, mode));
}

EXPORT int creat(const char *path, mode_t mode)
{
	if (HOOK_FAST(creat))
		return real.creat(path, mode);
	return OPEN(creat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode, (path, mode));
}

EXPORT int creat64(const char *path, mode_t mode)
{
	if (HOOK_FAST(creat64))
		return real.creat64(path, mode);
	return OPEN(creat64, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode, (path, mode));
}

EXPORT int __open_2(const char *path, int flags)
{
	if (HOOK_FAST(__open_2))
		return real.__open_2(path, flags);
	return OPEN(__open_2, AT_FDCWD, path, flags, 0, (path, flags));
}

EXPORT int __open64_2(const char *path, int flags)
{
	if (HOOK_FAST(__open64_2))
		return real.__open64_2(path, flags);
	return OPEN(__open64_2, AT_FDCWD, path, flags, 0, (path, flags));
}

EXPORT int __openat_2(int dirfd, const char *path, int flags)
{
	if (HOOK_FAST(__openat_2))
		return real.__openat_2(dirfd, path, flags);
	return OPEN(__openat_2, dirfd, path, flags, 0, (dirfd, path, flags));
}

EXPORT int __openat64_2(int dirfd, const char *path, int flags)
{
	if (HOOK_FAST(__openat64_2))
		return real.__openat64_2(dirfd, path, flags);
	return OPEN(__openat64_2, dirfd, path, flags, 0, (dirfd, path, flags));
}
