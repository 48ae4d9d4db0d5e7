/* units/offer.h - offers: records of completed units that wait to be packed, appended by jobs and
 * read by the publisher.
 *
 * <cache>/spool/<host>/<remote>/offers holds records of one append each (table above
 * offer_record.c). They are appended, taken and adopted as store/queue/queue.h does it. Each
 * remote store that jobs name has a queue, and a unit that is packed for one remote store is sent
 * to no other. A record names the unit's path, its key and the scope that its writer had. It also
 * has the identity of the completed file (uid, dev, ino, size, ctime). The publisher drops a unit
 * if another file is at the path by then. When the queue holds OFFER_BYTES_MAX, new records are
 * dropped and counted. THREAD. */
#pragma once

#include "shim/kernel/sys.h"
#include "store/queue/queue.h"
#include "units/offer_record.h"
#include "units/shape/shape.h"

/* 65,536 records of usual paths; a max-autotune job makes some thousands. */
#define OFFER_BYTES_MAX (32u << 20)
#define OFFER_TOKEN 64
struct offer {
	enum unit_class class;
	struct digest key;       /* unit_key */
	unsigned uid;
	uint64_t dev, ino, size; /* of `path`, or of its index or member */
	int64_t ctime_ns, made_at;
	/* the process's start, s since 1970; 0: offer_add fills it and the writer where the class
	 * needs them */
	int64_t began_at;
	/* the process that wrote the unit, as in shim/kernel/process.h; 0: not known */
	unsigned writer_pid;
	int64_t writer_began;
	uint64_t writer_space;    /* its boot and pid namespace */
	/* the file was only opened for writing: it is complete when it rests and passes the
	 * check */
	int opened;
	/* nobody can ask for the unit (units/unasked.h): it is not sent */
	int local;
	/* the file was closed by its writer, and content is the XXH3 digest of its bytes then */
	int closed;
	struct digest content;
	const char *path;        /* absolute, of the unit */
	/* SET: the file; WHOLE: the index, "" where the directory was renamed as one; else "" */
	const char *member;
	const char *scope, *name;
	const char *job;
};
/* Sets the identity from a statx with OFFER_STATX. */
#define OFFER_STATX (STATX_BASIC_STATS)
void offer_identify(struct offer *o, const struct statx *st);
/* 1: st is the file that the offer names. A directory that grows may have other times. If the file
 * was opened in place, size and time may have changed. If it was closed, only the time may have
 * changed; the content decides. */
int offer_same(const struct offer *o, const struct statx *st);

/* 1: the process that wrote the unit lives and may remove it; 0: it has ended; -1: this cannot be
 * told from here. */
int offer_writer(const struct offer *o);

/* Makes this process the writer, where /proc shows it. */
void offer_sign(struct offer *o);
/* Appends and counts. 0, or -1: the record is too long, the store is not writable, the queue is
 * full. */
int offer_add(struct store *s, const struct offer *o);
/* The same by the publisher, for an offer that it took too early. */
int offer_again(struct store *s, const struct offer *o);

/* For the publisher, under its lock. adopt: takes over the queues of hosts that are gone; call it
 * once, at the start. take: returns up to max records, oldest first, with strings in the arena, and
 * their number, or -1 with *fault. The records leave the queue when offers_done is called with the
 * token; otherwise they come again. Damaged records are skipped and counted as dropped. */
void offers_adopt(struct store *s);
int offers_take(struct store *s, struct offer *out, unsigned max, char token[OFFER_TOKEN],
                struct arena *a,
                struct fault *fault);
void offers_done(struct store *s, const char *token);
/* As spool_pending and spool_elsewhere. Offers whose writers live are not due, and are counted by
 * offers_held. */
int offers_pending(struct store *s, size_t *records, int64_t *oldest_s);
size_t offers_held(struct store *s);
size_t offers_elsewhere(struct store *s);
