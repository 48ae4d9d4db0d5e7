/* action/action.h - one start of a tool in a process of its own, from its key to its replay or its record.
 *
 * A tool serves itself: action/ runs in the tool's own process, single-threaded, inside the object's constructor (no other
 * library has been initialised) or in the supervisor that never returns from it. serve.c calls the steps in their order;
 * state.h is what they share. What is decided without acting is judge/'s.
 *
 * Where a header says nothing: constructor of a tool, or its supervisor, only.
 *
 * Memory: the start's arena. */
#ifndef ACTION_ACTION_H
#define ACTION_ACTION_H

#include "judge/start.h"
#include "remote/remote.h"

struct action {
	struct start start;
	void (*xfsz)(int); /* SIGXFSZ as the caller left it, when size_limited */
	int size_limited;  /* RLIMIT_FSIZE: no room for a trace, and our own files may hit it */
	/* The remote store (action/remote_store.c). */
	struct remote *remote;   /* open, or NULL */
	int remote_off, leased, spooled;
	const struct entry *fetched; /* NULL, or candidate and result that the local store does not have yet */
	unsigned char lease[SPOOL_TOKEN];
	int64_t renew_at;        /* CLOCK_MONOTONIC */
	const struct nest_before *before;
	struct open_files *open_before; /* action/strict.c */
	/* With REASON_MISS_VERIFY: the result that would have been replayed. */
	struct result *expected;
};

#endif
