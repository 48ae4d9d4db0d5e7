/* units/gather_queue.h - takes the store's offers, some at a time, for the publisher's loop. Under
 * its lock. TOOL. */
#ifndef UNITS_GATHER_QUEUE_H
#define UNITS_GATHER_QUEUE_H

#include "units/gather.h"

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

#endif
