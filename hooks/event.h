/* hooks/event.h - from a file call and its result to events of the trace.
 *
 * A hook of the file families has this shape:
 *
 *     if (HOOK_FAST(unlink))                       // nobody records: two tests, then the real call
 *             return real.unlink(path);
 *     rc = HOOK_CALL(unlink, sys_unlink(path), (path));
 *     event_probe(TRACE_UNLINK, TRACE_FLAG_NOFOLLOW, AT_FDCWD, path, rc, 0);
 *     return rc;
 *
 * HOOK_CALL makes the raw system call where there is no real function: before the constructor
 * (jemalloc opens and reads a link in its first malloc) and on a libc that lacks the symbol.
 *
 * CHILD: every event_ function keeps errno, writes no global, takes no lock and has a frame of at
 * most 4.2 KiB with what it calls not more than 5.5 KiB. With trace_active 0 they do nothing. They
 * take the result of the call as it came: a failed one is judged by errno. EFAULT is never an
 * event: the path may be what could not be read. */
#ifndef HOOKS_EVENT_H
#define HOOKS_EVENT_H

#include <errno.h>
#include <fcntl.h>

#include "shim/real.h"
#include "shim/sys.h"
#include "shim/trace.h"
#include "units/host.h"

/* True nearly always: nobody records and the constructor has run. */
#define HOOK_FAST(name) (__builtin_expect(!trace_active && real.name, 1))
/* A look-up on the fast path: made again where it failed and a framework's unit was brought meanwhile. */
#define HOOK_LOOKUP(dirfd, path, call) \
	({ \
		int rc_ = (call); \
		__builtin_expect(rc_ < 0, 0) && unit_lookup_failed(dirfd, path) ? (call) : rc_; \
	})
/* real.name(args), else the raw call, whose -errno becomes errno. */
#define HOOK_CALL(name, raw, args) (real.name ? real.name args : hook_result(raw))
/* The function itself for names that are no system call: NULL where this libc lacks it. */
#define HOOK_LATE(name) \
	((__typeof__(real.name))(real.name ? (void *)real.name : hook_late(#name)))

/* What traced and early calls do, away from the fast path and its frame. */
#define HOOK_SLOW __attribute__((noinline, cold))

/* A raw result as libc gives it. */
static inline int hook_result(long rc)
{
	if (rc >= 0)
		return (int)rc;
	errno = (int)-rc;
	return -1;
}

/* Before the constructor a look-up; after it what is NULL stays so (no dlsym in a vfork child). The
 * name that tells is the last of the table: malloc, and so a hook, may run amid the look-ups. */
static inline void *hook_late(const char *name)
{
	return real.get_current_dir_name ? NULL : real_late(name);
}

/* A libc function that does not exist here. */
static inline void *hook_missing(void)
{
	errno = ENOSYS;
	return NULL;
}

/* One open: what is asked before the call and judged after it. */
struct event_open {
	const char *path;
	int dirfd, flags;
	unsigned mode;   /* of a new file, as the caller gave it */
	unsigned before; /* st_mode of what was there, asked only under O_CREAT; else 0 */
};
void event_open_before(struct event_open *e, int dirfd, const char *path, int flags, mode_t mode);
/* fd: negative when it failed. */
void event_open_after(const struct event_open *e, int fd);

/* A call on one path: `found` when rc >= 0, else what errno says. */
void event_probe(enum trace_op found, unsigned flags, int dirfd, const char *path, long rc,
                 unsigned arg);
/* A listing. As event_probe, for calls that answer ENOTDIR where something other than a directory stands.
 * identity: of the directory, 0 where the caller does not see its descriptor. */
void event_dir(int dirfd, const char *path, int failed, unsigned identity);
/* As event_probe, for calls that make a name: EEXIST means that it was found. */
void event_make(enum trace_op made, int dirfd, const char *path, long rc, unsigned arg);
/* stat and friends: at_flags as fstatat has them. */
void event_stat(int dirfd, const char *path, int at_flags, int rc, unsigned mode);
/* rename, link: both names; a failure is put down to the name that caused it. */
void event_pair(enum trace_op op, unsigned flags, int dirfd_a, const char *a, int dirfd_b,
                const char *b, int rc);
/* readlink: n bytes of target, not terminated. */
void event_readlink(int dirfd, const char *path, const char *target, ssize_t n);
void event_realpath(const char *path, const char *answer);
/* An event about what a descriptor is open on; nothing for pipes, sockets and removed files. */
void event_fd(enum trace_op op, int fd, int rc, unsigned arg);
/* What no rule knows: never stored when it succeeded. */
void event_other(const char *what, int dirfd, const char *path, int rc);

#endif
