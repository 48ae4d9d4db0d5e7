/* store/job/events_read.h - reads the events of jobs (store/job/events.h). Not in a host. TOOL. */
#pragma once

#include "store/job/events.h"

struct events {
	struct event *v;     /* by start; texts in the arena */
	size_t count;
	struct event *run;   /* of kind EVENT_JOB, by start; not among the others */
	size_t runs;
	uint64_t malformed;  /* records of other versions, or none */
	/* Exact also if events were dropped. id 0: the node has no sums any more, and the sums
	 * are those of the events. */
	struct job_counts sums;
};

/* All events of a job that this node has and the store holds; job NULL: those of all jobs. 0; -1:
 * there is none. */
int events_read(struct events *out, struct store *s, const char *job, struct arena *a);
/* Puts them in order again, after others were added. */
void events_sort(struct events *e, struct arena *a);
/* Calls each for the jobs that have events: the name as events_name() gives it, and when the last
 * one was written (ns since 1970). A job may be told twice. */
void events_jobs(struct store *s, void (*each)(void *ctx, const char *name, int64_t when),
                 void *ctx);
/* The job whose event is the latest, as a name for the functions of store/job/events.h, and when it
 * was written (ns since 1970; when may be NULL). NULL: none. */
const char *events_last(struct store *s, struct arena *a, int64_t *when);
