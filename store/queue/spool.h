/* store/queue/spool.h - records of entries that wait to be published.
 *
 * <cache>/spool/<host>/<remote>/queue has fixed-size self-checking records (table above spool.c),
 * which name entries of the local store. They are appended, taken and taken over as
 * store/queue/queue.h does it: a record survives a killed supervisor, a killed publisher, a reboot
 * and an absent Redis. A record is removed when it was acknowledged, refused for good or has lost
 * its entry. Sending twice is harmless. All functions use the remote that the store names
 * (remote/tag.c): each remote has its own spool and publisher. The queue is bounded: if it holds
 * SPOOL_RECORDS_MAX records, new records are dropped and counted, and their entries stay in the
 * local store. The publisher holds at most as many records. THREAD. */
#pragma once

#include "store/lock.h"
#include "store/queue/queue.h"

#define SPOOL_RECORDS_MAX 65536
#define SPOOL_TOKEN 24
struct spool_record {
	/* STORE_MANIFEST, STORE_SET: one slot, named by key and result; STORE_RESULT, STORE_UNIT */
	enum store_class class;
	struct digest key;
	struct digest result;   /* K2 of a candidate, parcel of a member */
	int64_t made_at;        /* s since 1970 */
	/* token of the lease that the record takes over, or zeros */
	unsigned char lease[SPOOL_TOKEN];
	uint64_t wall_ns;       /* what the action took */
};

/* A record of a RESULT or UNIT has no result: there it names the job that made the entry, for the
 * events of its transfer. A name that does not fit is left out. job: "" if none is named. */
void spool_set_job(struct spool_record *r, const char *job);
const char *spool_job(const struct spool_record *r, char out[DIGEST_SIZE + 1]);

/* 0 or -1 (no store, read-only, no remote tag, full: counted as spool_dropped). A result must come
 * before the candidate that names it, a parcel before its member. */
int spool_add(struct store *s, const struct spool_record *r);

/* For the publisher, under its lock. take: adds the records of the queue to the batch, in order.
 * The first time it also adds those that an earlier publisher left. Damaged records are skipped and
 * counted as spool_dropped. 0 or -1 with *fault. done: record i is finished; a file is removed when
 * all its records are. When all are finished, the batch is empty again. */
struct spool_file {
	char name[QUEUE_NAME];
	size_t left; /* records that are not done */
};
struct spool_batch {
	struct arena arena; /* memory of the fields below */
	struct spool_record *v;
	unsigned char *done; /* the caller's value, not 0 */
	unsigned *file;
	size_t count, cap, left;
	struct spool_file *files;
	size_t file_count, file_cap;
	int begun;
};
#define SPOOL_BATCH_INIT {.arena = ARENA_INIT}
int spool_take(struct store *s, struct spool_batch *b, struct fault *fault);
void spool_done(struct store *s, struct spool_batch *b, size_t i, unsigned char how);
void spool_batch_free(struct spool_batch *b);

/* For doctor and publish --wait: the number of waiting records, and the age of the oldest in s, or
 * -1 if there is none. The number is an upper bound: all records of a file in work count. *records
 * is 0 only if nothing waits, also while a publisher takes it. 0 or -1: there is no store. */
int spool_pending(struct store *s, size_t *records, int64_t *oldest_s);
/* Records that wait on this host for other remotes, or under other settings of this one. */
size_t spool_elsewhere(struct store *s);

/* The publisher's lock, released by close or death. take: LOCK_HELD, LOCK_TIMEOUT if another
 * process has it, LOCK_FAULT without a runtime directory. busy: 1, 0. */
enum lock_status spool_publisher_take(struct store *s, struct lock *l);
int spool_publisher_busy(struct store *s);
/* 1: a signal has stopped the process that took it last. */
int spool_publisher_stopped(struct store *s);
