/* remote/spool.h - what waits to be published: records that name entries of the local store.
 *
 * <cache>/spool/<host>/queue, fixed-size self-checking records appended with one write(2). The publisher of that
 * host (one per store, a kernel lock in <runtime>/publisher) renames the queue to work.<n>, sends, and removes it when
 * every record in it was acknowledged, refused for good or has lost its entry; an appender that finds
 * that the file it wrote to is no longer the queue appends again (sending twice is harmless). So a record survives a killed
 * supervisor, a killed publisher, a reboot and an absent Redis. Bounded: at SPOOL_RECORDS_MAX records new
 * ones are dropped and counted (the entries stay in the local store). THREAD. */
#ifndef REMOTE_SPOOL_H
#define REMOTE_SPOOL_H

#include "store/store.h"

#define SPOOL_RECORDS_MAX 65536
#define SPOOL_TOKEN 24
struct spool_record {
	enum store_class class; /* STORE_MANIFEST: one candidate, named by key and result; STORE_RESULT */
	struct digest key;
	struct digest result;   /* of a candidate: its K2 */
	int64_t made_at;        /* s since 1970 */
	unsigned char lease[SPOOL_TOKEN]; /* token of the lease that passes with it, or zeros */
	uint64_t wall_ns;       /* what the action took */
};

/* 0 or -1 (no store, read-only, full: counted as spool_dropped). */
int spool_add(struct store *s, const struct spool_record *r);
/* Publisher only. Records of this host in order: those with a lease first. Damaged ones are skipped and
 * counted. The set is fixed by spool_take and removed by spool_done for those marked, else they stay. */
struct spool_batch { struct spool_record *v; unsigned char *done; size_t count; char work[4096]; };
int spool_take(struct store *s, struct spool_batch *b, struct arena *a, struct fault *fault);
int spool_done(struct store *s, struct spool_batch *b, struct fault *fault);
/* Waiting records and the age of the oldest, for stats, doctor and publish --wait. */
int spool_pending(struct store *s, size_t *records, int64_t *oldest_s);
/* The publisher's lock. take: fd, -EAGAIN when another has it. busy: 1, 0. Released by close or death. */
int spool_publisher_take(struct store *s);
int spool_publisher_busy(struct store *s);

#endif
