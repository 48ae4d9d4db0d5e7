/* units/gather_queue.h - takes the store's offers, some at a time, for the publisher's loop. Under
 * its lock. TOOL. */
#ifndef UNITS_GATHER_QUEUE_H
#define UNITS_GATHER_QUEUE_H

#include "units/gather.h"

struct gather_queue {
	struct store *s;
	struct gather_terms terms;
	int begun;
	int resting;    /* so many units are still being written; they are looked at again */
	/* so many may still be removed by their writers; they are looked at again */
	int held;
	int64_t renew;  /* CLOCK_MONOTONIC: when offers that are held are appended again */
	int64_t next;   /* CLOCK_MONOTONIC: when the queue is read next */
};
/* 1: some offers were handled; 0: none is due (without resting ones, none is there); -1 with
 * *fault: the queue cannot be read. Offers that a killed publisher had taken come again. */
int gather_step(struct gather_queue *q, struct fault *fault);

#endif
