/* hooks/event.h - turns a file call and its result into events of the trace.
 *
 * A hook of the file families has this shape, and most are written as one row, HOOK_TRACED:
 *
 *     if (HOOK_FAST(unlink))                       // no trace: two tests, then the real call
 *             return real.unlink(path);
 *     rc = HOOK_CALL(unlink, sys_unlink(path), (path));
 *     event_probe(TRACE_UNLINK, TRACE_FLAG_NOFOLLOW, AT_FDCWD, path, rc, 0);
 *     return rc;
 *
 * HOOK_CALL makes the raw system call if there is no real function. This is so on a libc that lacks
 * the symbol, and before the constructor: jemalloc opens and reads a link in its first malloc.
 *
 * CHILD: every event_ function keeps errno, writes no global and takes no lock. Its frame has at
 * most 4.2 KiB, with its callees at most 5.5 KiB. With trace_active 0 the function does nothing. It
 * takes the result of the call unchanged: a failed call is judged by errno. EFAULT is never an
 * event: perhaps the path itself could not be read. */
#pragma once

#include <errno.h>

#include "hooks/preloaded.h"
#include "shim/kernel/sys.h"
#include "shim/loader/real.h"
#include "shim/trace.h"
#include "units/host.h"

/* Nearly always true: no trace is recorded and the constructor has run. Also true where a library
 * that somebody else preloads asks for itself. In hooks themselves only: it takes the caller. */
#define HOOK_FAST(name) \
	(__builtin_expect(!trace_active && real.name, 1) || \
	 HOOK_ASKED_BY_OTHER(name, HOOK_FAMILY_##name))
#define HOOK_ASKED_BY_OTHER(name, family) \
	(__builtin_expect(preloaded_others, 0) && real.name && \
	 preloaded_asks(__builtin_return_address(0), (enum preloaded_family)(family)))
enum {
#define HOOK(family, ret, name, params) HOOK_FAMILY_##name = PRELOADED_##family,
#include "hooks/hooks.def"
#undef HOOK
};
/* A look-up on the fast path. It is repeated if it failed and a framework's unit was fetched
 * meanwhile. */
#define HOOK_LOOKUP(dirfd, path, call) \
	({ \
		int rc_ = (call); \
		__builtin_expect(rc_ < 0, 0) && unit_lookup_failed(dirfd, path) ? (call) : rc_; \
	})
/* The same of a call that asks for the state of a file, st. */
#define HOOK_STAT(dirfd, path, st, call) \
	({ \
		int looked_ = HOOK_LOOKUP(dirfd, path, call); \
		if (looked_ == 0) \
			unit_looked_at(path, (st)->st_mode, (st)->st_dev, (st)->st_ino); \
		looked_; \
	})
/* real.name(args), else the raw call, whose -errno becomes errno. */
#define HOOK_CALL(name, raw, args) (real.name ? real.name args : hook_result(raw))
/* The function itself, for names that are no system call: NULL if this libc lacks it. */
#define HOOK_LATE(name) \
	((__typeof__(real.name))(real.name ? (void *)real.name : hook_late(#name)))

/* Hooks as rows: the type, name and parameters of the function, then its arguments. SPLIT: a fast
 * path, and what a traced or early call does. */
#define HOOK_SPLIT(type, name, params, fast, slow) \
	EXPORT type name params \
	{ \
		if (HOOK_FAST(name)) \
			return fast; \
		return slow; \
	}
/* The usual shape: raw as for HOOK_CALL; event is told of the result, rc. */
#define HOOK_TRACED(type, name, params, args, raw, event) \
	HOOK_TRACED_OR(type, name, params, args, real.name args, raw, event)
/* The same with a fast path of its own. */
#define HOOK_TRACED_OR(type, name, params, args, fast, raw, event) \
	EXPORT type name params \
	{ \
		type rc; \
\
		if (HOOK_FAST(name)) \
			return fast; \
		rc = real.name ? real.name args : (type)hook_result(raw); \
		event; \
		return rc; \
	}
/* The same of a name that is no system call. missing: the answer of a libc that lacks it. */
#define HOOK_LATE_TRACED(type, name, params, args, missing, event) \
	EXPORT type name params \
	{ \
		__typeof__(real.name) call; \
		type rc; \
\
		if (HOOK_FAST(name)) \
			return real.name args; \
		call = HOOK_LATE(name); \
		if (!call) \
			return missing; \
		rc = call args; \
		event; \
		return rc; \
	}

/* Traced and early calls, kept out of the fast path and its frame. */
#define HOOK_SLOW __attribute__((noinline, cold))

/* Converts a raw result to libc's convention. */
static inline int hook_result(long rc)
{
	if (rc >= 0)
		return (int)rc;
	errno = (int)-rc;
	return -1;
}

/* Before the constructor, looks the name up; after it, NULL stays NULL (no dlsym in a vfork child).
 * The test uses the last name of the table: malloc, and so a hook, may run during the look-ups. */
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

/* State of an open between its two halves, before and after the call. */
struct event_open {
	const char *path;
	int dirfd, flags;
	unsigned mode;   /* of a new file, as the caller passed it */
	unsigned before; /* st_mode of the existing file, asked only with O_CREAT; else 0 */
	int64_t at;      /* a time before the open, asked only without O_CREAT */
};
void event_open_before(struct event_open *e, int dirfd, const char *path, int flags, mode_t mode);
/* fd: negative when it failed. */
void event_open_after(const struct event_open *e, int fd);

/* A call on one path: `found` if rc >= 0, else according to errno. */
void event_probe(enum trace_op found, unsigned flags, int dirfd, const char *path, long rc,
                 unsigned arg);
/* access and its like. Like event_probe; permissions: as the caller asked. */
void event_access(unsigned flags, int dirfd, const char *path, int rc, int permissions);
/* A listing. Like event_probe, for calls that fail with ENOTDIR if the path is not a directory.
 * identity: that of the directory, or 0 if the caller does not see its descriptor. */
void event_dir(int dirfd, const char *path, int failed, unsigned identity);
/* Like event_probe, for calls that make a name: EEXIST means that the name was found. */
void event_make(enum trace_op made, int dirfd, const char *path, long rc, unsigned arg);
/* stat and similar calls: at_flags as for fstatat. */
void event_stat(int dirfd, const char *path, int at_flags, int rc, unsigned mode);
/* rename, link: two names; a failure is attributed to the name that caused it. */
void event_pair(enum trace_op op, unsigned flags, int dirfd_a, const char *a, int dirfd_b,
                const char *b, int rc);
/* readlink: n bytes of target, not terminated. */
void event_readlink(int dirfd, const char *path, const char *target, ssize_t n);
void event_realpath(const char *path, const char *answer);
/* An event on the file behind a descriptor; nothing for pipes, sockets and removed files. */
void event_fd(enum trace_op op, int fd, int rc, unsigned arg);
/* A call that no rule covers: if it succeeded, the run is not stored. */
void event_other(const char *what, int dirfd, const char *path, int rc);
