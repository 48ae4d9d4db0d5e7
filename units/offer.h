/* units/offer.h - what a host completed waits to be packed: records appended by the job, read by the publisher.
 *
 * <cache>/spool/<host>/units, records of one append each (table above offer.c); taken and adopted as remote/spool's queue is.
 * A record names the unit's path, its key with the scope as the writer saw it, and the identity of what was
 * completed (uid, dev, ino, size, ctime): the publisher drops what is not that any more. At most OFFER_RECORDS_MAX wait. THREAD. */
#ifndef UNITS_OFFER_H
#define UNITS_OFFER_H

#include "remote/spool.h"
#include "units/shape.h"

#define OFFER_RECORDS_MAX 65536
struct offer {
	enum unit_class class;
	struct digest key;       /* unit_key */
	unsigned uid;
	uint64_t dev, ino, size; /* of `path`, or of its index or member */
	int64_t ctime_ns, made_at;
	int open;                /* the file was only opened for writing: complete when it rests and parses */
	const char *path;        /* absolute, of the unit */
	const char *member;      /* SET: the file; WHOLE: the index; else "" */
	const char *scope, *name;
	const char *job;
};
int offer_add(struct store *s, const struct offer *o);
/* Publisher only, under its lock: up to max records that wait, oldest first, strings in the arena; those taken are gone from
 * the queue once offers_done is called with the token. Count, or -1 with *fault. */
int offers_take(struct store *s, struct offer *out, unsigned max, char token[64], struct arena *a, struct fault *fault);
void offers_done(struct store *s, const char token[64]);
/* As spool_pending. */
int offers_pending(struct store *s, size_t *records, int64_t *oldest_s);

#endif
