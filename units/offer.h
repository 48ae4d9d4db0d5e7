/* units/offer.h - what a host completed waits to be packed: records appended by the job, read by the publisher.
 *
 * <cache>/spool/<host>/<remote>/units, records of one append each (table above offer.c); appended, taken and adopted as
 * store/queue.h does it, apart for each remote that jobs name: what is packed for one is sent there and nowhere else. A
 * record names the unit's path, its key with the scope as the writer saw it, and the identity
 * of what was completed (uid, dev, ino, size, ctime): the publisher drops what is not that any more. With
 * OFFER_BYTES_MAX in the queue new ones are dropped and counted. THREAD. */
#ifndef UNITS_OFFER_H
#define UNITS_OFFER_H

#include "shim/sys.h"
#include "store/queue.h"
#include "units/shape.h"

/* 65,536 records of usual paths; a max-autotune job makes some thousands. */
#define OFFER_BYTES_MAX (32u << 20)
#define OFFER_RECORD_MAX (24u << 10) /* of one record: its texts are paths and shorter ones */
#define OFFER_TOKEN 64
struct offer {
	enum unit_class class;
	struct digest key;       /* unit_key */
	unsigned uid;
	uint64_t dev, ino, size; /* of `path`, or of its index or member */
	int64_t ctime_ns, made_at;
	int64_t began_at;        /* the process, s since 1970; 0: offer_add says it where it matters, and so the maker */
	unsigned writer_pid;      /* the process as units/process.h has it; 0: not known */
	int64_t writer_began;
	uint64_t writer_space;    /* its boot and pid namespace */
	int opened;              /* the file was only opened for writing: complete when it rests and parses */
	const char *path;        /* absolute, of the unit */
	const char *member;      /* SET: the file; WHOLE: the index, "" where the directory came at once; else "" */
	const char *scope, *name;
	const char *job;
};
/* Identity, out of a statx with OFFER_STATX. */
#define OFFER_STATX (STATX_BASIC_STATS)
void offer_identify(struct offer *o, const struct statx *st);
/* True when st is what the offer names; of an opened one size and time may have changed. */
int offer_same(const struct offer *o, const struct statx *st);

/* 1: the process that made it lives, and may withdraw it; 0: it has ended; -1: that cannot be told from here. */
int offer_writer(const struct offer *o);

/* Makes this process the maker, where /proc shows it. */
void offer_sign(struct offer *o);
/* Counts itself. 0, or -1: too long, no writable store, the queue is full. */
int offer_add(struct store *s, const struct offer *o);
/* The same by the publisher, for one that it took too early. */
int offer_again(struct store *s, const struct offer *o);

/* Publisher only, under its lock. adopt: what vanished hosts left is ours, once at the start. take: up to max records
 * that wait, oldest first, strings in the arena; those taken are gone from the queue once offers_done is called with the
 * token, and come again otherwise. Damaged ones are skipped and counted as dropped. Count, or -1 with *fault. */
void offers_adopt(struct store *s);
int offers_take(struct store *s, struct offer *out, unsigned max, char token[OFFER_TOKEN], struct arena *a,
                struct fault *fault);
void offers_done(struct store *s, const char *token);
/* As spool_pending, spool_elsewhere; those whose makers live are not due, and counted apart. */
int offers_pending(struct store *s, size_t *records, int64_t *oldest_s);
size_t offers_held(struct store *s);
size_t offers_elsewhere(struct store *s);

/* For offer.c and its tests: one record's bytes, and back: its length, 0 where there is none. */
void offer_encode(struct buf *out, const struct offer *o);
size_t offer_decode(struct offer *o, const void *bytes, size_t n);

#endif
