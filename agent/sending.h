/* agent/sending.h - the publisher of the agent: `reprise publish --daemon`, a process of its own.
 * TOOL. */
#ifndef AGENT_SENDING_H
#define AGENT_SENDING_H

#include "agent/dispatch.h"

/* How often it is looked whether something waits to be sent that no client told of. */
#define SENDING_LOOK_NS 5000000000ll
struct sending {
	pid_t pid;  /* of the publisher; 0: none runs */
	int wanted; /* 1: something waits */
	int64_t looked;
	int64_t later; /* no publisher is started before; 0 */
	int64_t denied_until; /* records that wait start none before; 0 */
};
/* Looks, at most once in SENDING_LOOK_NS and while none runs, for what an earlier job left: it
 * ended before its publisher, or found no server. */
void sending_look(struct sending *s, const struct dispatch *d);
/* Starts the publisher if it is wanted and none runs. */
void sending_start(struct sending *s, const struct dispatch *d);
/* 1: that process was the publisher, and has ended. If its status is not 0, another one is at work,
 * or none can be, so the next one is started only after SENDING_LOOK_NS. */
int sending_ended(struct sending *s, const struct dispatch *d, pid_t pid, int status);

#endif
