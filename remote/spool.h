/* remote/spool.h - what waits to be published: records that name entries of the local store.
 *
 * <cache>/spool/<host>/<remote>/queue, fixed-size self-checking records (table above spool.c), appended, taken and taken
 * over as store/queue.h does it: a record survives a killed supervisor, a killed publisher, a reboot and an absent Redis.
 * It is gone when it was acknowledged, refused for good or has lost its entry; sending twice is harmless. All that
 * follows is of the remote that the store means (remote/tag.h): each has its own spool and publisher.
 * Bounded: with SPOOL_RECORDS_MAX records in the queue new ones are dropped and counted (the entries stay in the local
 * store); the publisher holds as many at most. THREAD. */
#ifndef REMOTE_SPOOL_H
#define REMOTE_SPOOL_H

#include "store/lock.h"
#include "store/queue.h"
#include "store/store.h"

#define SPOOL_RECORDS_MAX 65536
#define SPOOL_TOKEN 24
struct spool_record {
	enum store_class class; /* STORE_MANIFEST, STORE_SET: one slot, named by key and result; STORE_RESULT, STORE_UNIT */
	struct digest key;
	struct digest result;   /* of a candidate: its K2; of a member: its parcel */
	int64_t made_at;        /* s since 1970 */
	unsigned char lease[SPOOL_TOKEN]; /* token of the lease that passes with it, or zeros */
	uint64_t wall_ns;       /* what the action took */
};

/* 0 or -1 (no store, read-only, no remote tag, full: counted as spool_dropped). A result comes before the candidate that names
 * it, a parcel before its member. */
int spool_add(struct store *s, const struct spool_record *r);

/* Publisher only, under its lock. take: what an earlier publisher left (the first time) and what the queue holds
 * join the batch, in order; damaged records are skipped and counted as spool_dropped. 0 or -1 with *fault. done: record
 * i needs nothing more; a file all of whose records are done is gone. When all are, the batch is empty again. */
struct spool_file {
	char name[QUEUE_NAME];
	size_t left; /* records that are not done */
};
struct spool_batch {
	struct arena arena; /* of what follows */
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

/* Waiting records (at most: of a file that is under way all count) and the age of the oldest, s, -1 without any,
 * for doctor and publish --wait. 0 or -1: there is no store. */
int spool_pending(struct store *s, size_t *records, int64_t *oldest_s);
/* Records that wait on this host for other remotes, or under other settings of this one. */
size_t spool_elsewhere(struct store *s);

/* The publisher's lock, released by close or death. take: LOCK_HELD, LOCK_TIMEOUT when another has it, LOCK_FAULT
 * without a runtime directory. busy: 1, 0. */
enum lock_status spool_publisher_take(struct store *s, struct lock *l);
int spool_publisher_busy(struct store *s);

#endif
