/* action/action.h - one start of a tool in a process of its own, from its key to its replay or its
 * recording.
 *
 * A tool serves itself: action/ runs in the tool's own process, single-threaded. The code runs
 * inside the object's constructor, when no other library is initialised yet. Or it runs in the
 * supervisor, which never returns from the constructor. serve.c calls the steps in their order.
 * state.h declares the functions that the steps share. Decisions without side effects belong to
 * judge/.
 *
 * If a header gives no mark, its functions run only in the constructor of a tool or in its
 * supervisor.
 *
 * Memory: the start's arena. */
#ifndef ACTION_ACTION_H
#define ACTION_ACTION_H

#include "judge/start.h"
#include "store/agent.h"

struct action {
	struct start start;
	void (*xfsz)(int); /* the caller's SIGXFSZ handler, when size_limited */
	/* RLIMIT_FSIZE leaves no room for a trace, and our own files may exceed it */
	int size_limited;
	/* The remote store (action/remote_store.c). */
	struct agent *agent;     /* NULL: not asked yet, or there is no remote store */
	struct store *inbox;
	int remote_off, leased, spooled;
	int skipped;             /* a question had no answer: no other one is asked */
	int publishes;           /* this node sends its compiles: as the agent said */
	int64_t listed;          /* candidates of the manifest when the agent last said it */
	const struct entry *fetched; /* candidate and result that the local store lacks; or NULL */
	unsigned char lease[SPOOL_TOKEN];
	int64_t renew_at;        /* CLOCK_MONOTONIC */
	const struct nest_before *before;
	struct open_files *open_before; /* action/strict.c */
	/* With REASON_MISS_VERIFY: the result that a replay would have used. */
	struct result *expected;
};

/* Functions that the steps of an action share. Memory: the start's arena. */

/* The tool and the processes that it starts run without Reprise. If the tool nests, the steps below
 * it are served like the children of any program. */
void action_untraced(const struct action *a);
/* For a process that is about to fork. Closes connections and forgets secrets. A later call of
 * remote_store.h opens a new connection. */
void action_close_remote(struct action *a);
/* Frees everything, the action included. */
void action_free(struct action *a);

#endif
