/* units/host.h - a framework looks for a unit, or has completed one: what hooks call.
 *
 *     rc = real.stat(path, st);
 *     if (rc < 0 && unit_lookup_failed(AT_FDCWD, path))  // ENOENT, and it stands there now
 *             rc = real.stat(path, st);           // errno is as the first call left it when 0 is returned
 *
 * Inline tests keep calls of no interest at some nanoseconds. What follows happens only in a process of its own (never a
 * vfork child, never a traced tool) that runs Python or libtorch, and that obeys the user's switches as they stand then. It
 * costs one question per unit and short time, holds no descriptor, thread or memory afterwards, and takes
 * at most the remote's deadlines. errno is kept. THREAD; does nothing when entered again from a signal handler. */
#ifndef UNITS_HOST_H
#define UNITS_HOST_H

#include <errno.h>
#include <stdint.h>

/* A unit that is complete under a lock alone is open for writing, or has been. */
extern int unit_awaits_lock;
/* Pid of a host, 0 elsewhere and before the constructor. */
extern int unit_self;
/* Constructor of a host. */
void unit_host_begin(void);
/* In a forked child of a host. */
void unit_after_fork(void);

/* 1: repeat the call. */
int unit_provide(int dirfd, const char *path);
int unit_extend(const char *path);
uint64_t unit_inode(int from_dirfd, const char *from, const char *to);
/* made: the inode that was renamed there; 0: it was opened there. */
void unit_complete(int dirfd, const char *path, uint64_t made);
void unit_complete_locked(int fd);

/* A look-up on that path failed. */
static inline int unit_lookup_failed(int dirfd, const char *path)
{
	return unit_self && errno == ENOENT && unit_provide(dirfd, path);
}
/* A directory was opened, to be listed, or is not there. 1: to be opened anew. */
static inline int unit_directory_opened(const char *path)
{
	return __builtin_expect(unit_self != 0, 0) && unit_extend(path);
}
/* It was opened for writing. */
static inline void unit_opened(int dirfd, const char *path)
{
	if (__builtin_expect(unit_self != 0, 0))
		unit_complete(dirfd, path, 0);
}
/* The exclusive lock of a file was taken. TorchAir takes it on a module that it has compiled and opened, and is about to write;
 * what a program puts in its place by shutil.copytree is of any age and any sources. */
static inline void unit_locked(int fd)
{
	if (__builtin_expect(unit_awaits_lock != 0, 0))
		unit_complete_locked(fd);
}
/* It is about to be renamed. Ranks that share a directory finish at one moment and rename theirs to one path: what stands
 * there afterwards may be another rank's. 0: of no interest. */
static inline uint64_t unit_rename_begins(int from_dirfd, const char *from, const char *to)
{
	return __builtin_expect(unit_self != 0, 0) ? unit_inode(from_dirfd, from, to) : 0;
}
/* It was; made: what unit_rename_begins answered. */
static inline void unit_renamed(int dirfd, const char *path, uint64_t made)
{
	if (__builtin_expect(made != 0, 0))
		unit_complete(dirfd, path, made);
}

#endif
