/* units/host.h - what hooks call when a framework looks for a unit or completes one.
 *
 *     rc = real.stat(path, st);
 *     if (rc < 0 && unit_lookup_failed(AT_FDCWD, path))  // ENOENT; now it is there
 *             rc = real.stat(path, st);                  // else errno is kept
 *
 * Inline tests keep calls on other paths at some nanoseconds. Only a process that runs Python or
 * libtorch does more, and never a vfork child or a traced tool. A look-up obeys the user's switches
 * as they are at that moment. It asks once per unit, and holds no descriptor, thread or memory
 * afterwards. It takes at most the remote store's time limits. errno is kept. THREAD. Two kinds of
 * calls do nothing: from a signal handler that interrupts such work, and from a thread with less
 * than 32 KiB of stack left. */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>

/* 1: a file has been opened for writing whose class a lock (unit_awaits_lock) or a close
 * (unit_awaits_close) completes. */
extern int unit_awaits_lock, unit_awaits_close;
/* UNIT_READS_GRAPHS: this process looks for graphs as a rank. UNIT_READS_SOURCES: it may run
 * sources in Python. UNIT_READS_ANY: it may make a unit of TRAIT_READS_NOTHING. */
enum { UNIT_READS_GRAPHS = 1, UNIT_READS_SOURCES = 2, UNIT_READS_ANY = 4 };
extern int unit_awaits_read;
/* This process, once unit_host_begin has run in a host; else 0. */
extern int unit_self;
/* Constructor of a host. */
void unit_host_begin(void);
/* In a forked child of a host. */
void unit_after_fork(void);

/* Constructor of a host, after unit_host_begin: settings files declare classes of the user's own
 * (units/shape/declared.h). */
void unit_host_declares(void);

/* The inline functions below call these. provide: 1, the path is there now. extend: 1, the path is
 * a set's directory. */
int unit_provide(int dirfd, const char *path);
int unit_extend(const char *path, uint64_t *mark);
void unit_opened_to_read(int fd, int dirfd, const char *path);
int unit_drop_hidden(const char *path);
uint64_t unit_inode(int from_dirfd, const char *from, const char *to);
/* A file that its close completes: see unit_awaits. */
void unit_opened_here(int fd, int dirfd, const char *path);
int unit_is_awaited(int fd);
uint64_t unit_closing(int fd, char *path);
void unit_closed(const char *path, uint64_t made);
/* Notes that the process looked at the file, which may be a source (units/shape/seen_files.h). */
void unit_see(const char *path, uint64_t device, uint64_t inode);
/* made: the inode that was renamed there; 0: the file was opened there. */
void unit_complete(int dirfd, const char *path, uint64_t made);
void unit_complete_locked(int fd);

/* A call that looks for the path failed. 1: repeat it. */
static inline int unit_lookup_failed(int dirfd, const char *path)
{
	return unit_self && errno == ENOENT && unit_provide(dirfd, path);
}
/* The call asked for the state of a file, and got it. */
static inline void unit_looked_at(const char *path, unsigned mode, uint64_t device, uint64_t inode)
{
	if (__builtin_expect(unit_self && S_ISREG(mode) && path, 0))
		unit_see(path, device, inode);
}
/* A directory was opened to be listed, or is missing. 1: open it again. *mark: what its listing
 * leaves out, for units/find/listing.h. */
static inline int unit_directory_opened(const char *path, uint64_t *mark)
{
	return __builtin_expect(unit_self != 0, 0) && unit_extend(path, mark);
}
/* A directory could not be removed. 1: it held only files that its listing leaves out. They are
 * removed now; repeat the call. */
static inline int unit_not_empty(const char *path)
{
	return unit_self && errno == ENOTEMPTY && unit_drop_hidden(path);
}
/* fd: the file was opened for reading. */
static inline void unit_read(int fd, int dirfd, const char *path)
{
	if (__builtin_expect(unit_awaits_read != 0, 0))
		unit_opened_to_read(fd, dirfd, path);
}
/* fd: the file was opened for writing. */
static inline void unit_opened(int fd, int dirfd, const char *path)
{
	if (__builtin_expect(unit_self != 0, 0))
		unit_opened_here(fd, dirfd, path);
}
/* 1: the descriptor, which is about to be closed, may be that of a unit:
 *
 *     made = unit_closing(fd, path);   // its inode, and path of PATH_SIZE bytes; 0: it is none
 *     rc = real.close(fd);
 *     if (rc == 0 && made)
 *             unit_closed(path, made); */
static inline int unit_awaits(int fd)
{
	return __builtin_expect(unit_awaits_close != 0, 0) && unit_is_awaited(fd);
}
/* A file was locked exclusively. TorchAir compiles a module, opens its file, locks it and writes
 * it. A module that a program copies there (shutil.copytree) is not locked; its age and sources are
 * unknown. */
static inline void unit_locked(int fd)
{
	if (__builtin_expect(unit_awaits_lock != 0, 0))
		unit_complete_locked(fd);
}
/* A file is about to be renamed to `to`. Returns its inode if it is a unit, or 0. Ranks that share
 * a directory rename their files to one path at about the same time. So the file that is there
 * afterwards may be another rank's. */
static inline uint64_t unit_rename_begins(int from_dirfd, const char *from, const char *to)
{
	return __builtin_expect(unit_self != 0, 0) ? unit_inode(from_dirfd, from, to) : 0;
}
/* The file was renamed; made: the answer of unit_rename_begins. */
static inline void unit_renamed(int dirfd, const char *path, uint64_t made)
{
	if (__builtin_expect(made != 0, 0))
		unit_complete(dirfd, path, made);
}
