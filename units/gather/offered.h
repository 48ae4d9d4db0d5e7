/* units/gather/offered.h - takes the store's offers, some at a time, for the publisher's loop.
 * Under its lock. TOOL. */
#ifndef UNITS_GATHER_OFFERED_H
#define UNITS_GATHER_OFFERED_H

#include "remote/remote.h"
#include "units/gather/gather.h"

struct gather_queue {
	struct store *s;
	struct gather_terms terms;
	int begun;
	int resting;    /* number of units that are still being written, and are looked at again */
	/* number of units that their writers may still remove; they are looked at again */
	int held;
	int64_t renew;  /* CLOCK_MONOTONIC: when offers that are held are appended again */
	int64_t next;   /* CLOCK_MONOTONIC: when the queue is read next */
};
/* 1: some offers were handled; 0: no offer is due (if no unit rests, there is none); -1 with
 * *fault: the queue cannot be read. Offers that a killed publisher had taken come again. */
int gather_step(struct gather_queue *q, struct fault *fault);

/* Sends a unit to the remote store. */

/* e: entry of a parcel. Frameworks of a new node write the kernels that came with a graph, so the
 * remote store has most units that such a node offers. So it is asked first, if the unit's name is
 * a full key. A MERGED unit is merged with the unit of the remote store under its lease, and the
 * result is stored locally, too. Returns as remote_put_result; SEND_THERE: the remote store has the
 * unit. */
enum { SEND_THERE = 2 };
int gather_send(struct remote *r, struct store *s, const struct entry *e, struct arena *a,
                struct fault *fault);

#endif
