/* units/host.h - a framework looks for a unit, or has completed one: what hooks call.
 *
 *     rc = real.stat(path, st);
 *     if (rc < 0 && unit_missed(AT_FDCWD, path))  // ENOENT, and it stands there now
 *             rc = real.stat(path, st);           // errno is as the first call left it when 0 is returned
 *
 * Inline tests keep calls of no interest at some nanoseconds. What follows happens only in a process of its own (never a
 * vfork child, never a traced tool) that runs Python or libtorch, and that obeys the user's switches as they stand then. It
 * costs one question per unit and short time, holds no descriptor, thread or memory afterwards, and takes
 * at most the remote's deadlines. errno is kept. THREAD; does nothing when entered again from a signal handler. */
#ifndef UNITS_HOST_H
#define UNITS_HOST_H

#include <errno.h>

/* Pid of a host, 0 elsewhere and before the constructor. */
extern int unit_self;
/* Constructor of a host. */
void unit_host_begin(void);
/* In a forked child of a host. */
void unit_after_fork(void);

/* 1: repeat the call. */
int unit_bring(int dirfd, const char *path);
void unit_refresh(const char *path);
void unit_complete(int dirfd, const char *path, int opened);

/* A look-up on that path failed. */
static inline int unit_missed(int dirfd, const char *path)
{
	return unit_self && errno == ENOENT && unit_bring(dirfd, path);
}
/* A directory is about to be listed. */
static inline void unit_listed(const char *path)
{
	if (__builtin_expect(unit_self != 0, 0))
		unit_refresh(path);
}
/* Something was renamed to this path, or (opened) opened there for writing. */
static inline void unit_made(int dirfd, const char *path, int opened)
{
	if (__builtin_expect(unit_self != 0, 0))
		unit_complete(dirfd, path, opened);
}

#endif
