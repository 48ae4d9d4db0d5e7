/* store/job_counts.h - sums of the jobs of a node, exact also if events were dropped.
 *
 * Slots of the counters' page (store/counters.h), each for a job: its name's digest, then words
 * that processes change by atomic additions. If all slots are taken, a new job gets the slot that
 * was unused for longest. For a job that lost its slot, the sums of its events count. THREAD. */
#ifndef STORE_JOB_COUNTS_H
#define STORE_JOB_COUNTS_H

#include "store/event.h"
#include "store/store.h"

#define JOB_COUNTS_SLOTS 32
#define JOB_COUNTS_WORDS 32 /* of a slot */

struct job_counts {
	int64_t id;      /* first 8 bytes of the name's digest; 0: free */
	int64_t used;    /* s since 1970: start of the latest event */
	int64_t here;    /* bytes of its file in the runtime directory */
	int64_t dropped; /* events */
	int64_t spent, waited, worth; /* ns */
	int64_t bytes;
	int64_t count[EVENT_KINDS * EVENT_VERDICTS];
};
_Static_assert(sizeof(struct job_counts) <= JOB_COUNTS_WORDS * 8, "a slot");

/* The job's slot, to be changed by atomics alone. NULL: no page, or without make: no slot. */
struct job_counts *job_counts_of(struct store *s, const char *job, int make);
/* Adds an event. */
void job_counts_add(struct job_counts *c, const struct event *e);

#endif
