/* units/gather_queue.h - the store's offers, some at a time, for the publisher's loop. Under its lock. TOOL. */
#ifndef UNITS_GATHER_QUEUE_H
#define UNITS_GATHER_QUEUE_H

#include "units/gather.h"

struct gather_queue {
	struct store *s;
	struct gather_terms terms;
	int begun;
	int resting;    /* some are still being written: they come again */
	int held;       /* makers of some live: they come again */
	int64_t renew;  /* CLOCK_MONOTONIC: those that are held are written anew */
	int64_t next;   /* CLOCK_MONOTONIC: not asked before */
};
/* 1: some offers were dealt with; 0: none is due now (unless resting, none is there); -1 with *fault:
 * the queue cannot be read. What is killed in between comes again. */
int gather_step(struct gather_queue *q, struct fault *fault);

#endif
