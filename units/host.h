/* units/host.h - a framework looks for a unit, or has completed one: what hooks call.
 *
 *     if (rc < 0 && unit_missed(AT_FDCWD, path))  // ENOENT, and the unit stands there now
 *             rc = real.stat(path, st);           // errno is as the first call left it when 0 is returned
 *
 * Inline tests keep calls of no interest at some nanoseconds. What follows happens only in a process of its own (never a
 * vfork child, never a traced tool) that runs Python or libtorch, and that obeys the user's switches as they stand then. It
 * costs one question per unit and short time (remote/absent.h), holds no descriptor, thread or memory afterwards, and takes
 * at most the remote's deadlines. errno is kept. THREAD; does nothing when entered again from a signal handler. */
#ifndef UNITS_HOST_H
#define UNITS_HOST_H

#include <errno.h>

/* Set by the constructor in hosts, 0 elsewhere; by fork in the child. */
extern int unit_self;    /* pid, 0: off */
extern int unit_forked;  /* this process has not executed anything since it was forked */
void unit_host_begin(void);
void unit_after_fork(void);

/* A call on that path failed with ENOENT. 1: repeat it. */
int unit_bring(int dirfd, const char *path);
/* A set's directory is about to be listed. */
void unit_refresh(const char *path);
/* Something was renamed to, or opened for writing at, this path. */
void unit_completed(int dirfd, const char *path, int opened);

/* A quick no: nothing that could be a unit's. */
static inline int unit_missed(int dirfd, const char *path)
{
	return __builtin_expect(unit_self && errno == ENOENT, 0) && unit_bring(dirfd, path);
}

#endif
