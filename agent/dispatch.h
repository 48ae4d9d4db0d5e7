/* agent/dispatch.h - the agent's loop: clients ask, workers answer, a publisher sends.
 *
 * The loop itself never waits for another machine. A question that is asked twice at once is
 * answered once. Another worker is forked where a question waits and all are at work, up to
 * DISPATCH_WORKERS; so a near remote store sees one connection. A worker that does not come back is
 * killed, and its client answered without it. TOOL. */
#pragma once

#include "agent/worker.h"

#define DISPATCH_WORKERS 8
struct dispatch {
	struct worker_terms terms;
	int listening;
	struct remote_memory *memory; /* which the workers share; NULL: there is none */
	const char *publisher; /* the program `reprise`; NULL: there is none */
	uint64_t secrets;      /* the agent's (agent_secrets) */
	int has_remote;        /* settings name a remote store; else it only packs */
	/* Removes the socket and gives up the lock, so that a new agent may begin. */
	void (*retire)(void *ctx);
	int (*is_lost)(void *ctx); /* 1: nobody can find the socket any more */
	void (*sweep)(void *ctx); /* now and then: removes what nobody accepted */
	void *ctx;
};
/* Serves until nobody asks for AGENT_IDLE_NS and nothing is left to do. */
void dispatch_run(const struct dispatch *d);
