/* store/job/events.h - what a job's starts, units and transfers did, event by event
 * (store/job/event_record.h).
 *
 * <runtime>/events/<job> has the latest events of a job on this node: each is appended by one
 * write(2). The file is moved to <cache>/events/<job>/<host>.<pid>.<ns> in three cases: it holds
 * EVENTS_JOB_BYTES_MAX, all files of the node together hold EVENTS_NODE_BYTES_MAX, or `reprise run`
 * ends. If a job's name cannot be a file name, the file is called "%" and the first 32 hex digits
 * of the name's digest. When the store holds EVENTS_STORE_BYTES_MAX, files older than a week are
 * removed, then files older than a day, then files older than an hour. If this does not help, or
 * the store cannot be written, events are dropped, but still counted. Clean-up
 * removes files to which nothing was moved for EVENTS_KEEP_S.
 *
 * THREAD.
 *
 * Sums of the jobs of a node, exact also if events were dropped.
 *
 * Slots of the counters' page (store/job/counters.h), each for a job: its name's digest, then words
 * that processes change by atomic additions. If all slots are taken, a new job gets the slot that
 * was unused for longest. For a job that lost its slot, the sums of its events count. THREAD. */
#pragma once

#include "shim/path.h"
#include "store/job/event_record.h"
#include "store/store.h"

#define EVENTS_JOB_BYTES_MAX (4ll << 20)
#define EVENTS_NODE_BYTES_MAX (16ll << 20)
#define EVENTS_STORE_BYTES_MAX (64ull << 20)
#define EVENTS_KEEP_S (30 * 24 * 3600)
#define EVENTS_NAME_MAX 128

/* The job whose events are kept, NULL where REPRISE_EVENTS is 0. */
const char *events_job(const struct settings *set, char *const envp[], struct arena *a);
/* Counts the event and appends it: open, write, close. job NULL: nothing happens. ends: this
 * process ends now, and the kernel closes the file. Failure is silent. */
void events_add(struct store *s, const char *job, const struct event *e, int ends);
/* Moves a job's events of this node to the store. job NULL: the events of all jobs. In either case
 * also moves the events that killed movers left, so that no event is lost or there twice. */
void events_move(struct store *s, const char *job);
/* For clean-up: moves the events that killed movers left. */
void events_adopt(struct store *s);
/* For clean-up: removes what was moved before `before` (s since 1970). Returns the number of
 * files. */
uint64_t events_drop_old(const struct store *s, int64_t before);

/* The file name of a job. */
void events_name(char out[EVENTS_NAME_MAX + 1], const char *job);
/* The runtime directory's file of a job, or (job NULL) the directory of all. 0 or -1. */
int events_runtime_path(char out[PATH_SIZE], const struct store *s, const char *job);
/* The store's directory of a job, or of all. 0 or -1. */
int events_store_path(char out[PATH_SIZE], const struct store *s, const char *job);

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
