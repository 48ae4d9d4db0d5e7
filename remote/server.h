/* remote/server.h - the remote stores behind a struct remote: each a backend with its breaker and
 * its remembered absences. Only for remote/ and for checks of a store itself.
 *
 * A look-up is one question to all stores:
 *
 *     question_begin(&q, r);
 *     for (unsigned i = 0; i < r->servers; i++)
 *             if (server_begin(r, i, &q, fault) == 0) {
 *                     s = ...backend's call, until q.deadline...
 *                     server_end(r, i, &q, s, fault);
 *             }
 *
 * The deadline spans the question, and each store's part ends by its own limit. Values are checked
 * here, and events are left here. What a slower store had is remembered for the faster ones
 * (remote/put.c).
 *
 * Functions without a mark run where those of remote/remote.h do: only where no other thread
 * runs. */
#pragma once

#include "remote/backends.h"
#include "remote/remote.h"
#include "remote/remote_memory.h"
#include "store/entry/blob.h"
#include "store/job/event_record.h"
#include "store/trust.h"

/* A candidate is one value; a candidate with 40,000 probes packs into a quarter of this size. */
#define REMOTE_CANDIDATE_MAX (4u << 20)
_Static_assert(REMOTE_CANDIDATES == BACKEND_LIST, "a list of candidates");

struct remote_server {
	const struct remote_place *place;
	struct store *store;   /* the node's, the same of all */
	struct backend backend;
	struct breaker breaker;
	struct absent_keys *absent;
	uint64_t bytes_in, bytes_out; /* already in the counters */
	int64_t rest_until; /* CLOCK_MONOTONIC: after a failed put no put is sent until then */
};

/* A value of a slower store, which the faster ones do not have: in the arena of its look-up, or in
 * a file without a name. */
#define BACKFILL_MAX 64
struct backfill {
	enum store_class class;
	struct digest key;
	struct source blob;
	unsigned servers; /* bits of those that answered and do not have it */
	int is_listed;    /* a candidate, which leads to this result */
	unsigned char result[DIGEST_SIZE];
};

struct remote_shared {
	struct remote_config config;
	const char *address;   /* of all, for people, without secrets */
	struct trust trust;
	unsigned asked;        /* look-ups that a breaker let pass */
	unsigned last;         /* server that was asked last */
	/* memory that the candidates of the current look-up take, and its key */
	uint64_t unpacked;
	struct digest listing;
	struct backfill fill[BACKFILL_MAX];
	unsigned fills;
	/* What each server said to remote_read_ahead, and how many bytes of it no look-up took. */
	struct backend_read *read[PLACES_MAX];
	unsigned reads[PLACES_MAX];
	uint64_t unread;
};

/* Letter of a class in names. CHILD. */
char server_kind(enum store_class class);
/* THREAD. */
static inline struct backend_name server_name(enum store_class class, const struct digest *key)
{
	return (struct backend_name){server_kind(class), *key};
}

struct question {
	int64_t end;           /* of all servers */
	int64_t start, deadline; /* of the current server */
	unsigned without;      /* bits of the servers that answered and have nothing */
	int asked, failed;
};
void question_begin(struct question *q, struct remote *r);
/* Begins the part of server i: 0, or -1 with *fault: its breaker or the deadline forbids it. */
int server_begin(struct remote *r, unsigned i, struct question *q, struct fault *fault);
/* Tells the breaker, counts bytes and time, and warns of credentials that are refused. */
void server_end(struct remote *r, unsigned i, struct question *q, enum backend_status s,
                const struct fault *fault);
/* What the breaker is told of this status. THREAD. */
enum breaker_outcome server_outcome(enum backend_status s);
/* The server whose leases are used, or r->servers: there is none. THREAD. */
unsigned server_of_leases(const struct remote *r);
/* Server i for a call that asks no breaker: sets its arena, and *deadline for that many bytes. */
struct backend *server_use(struct remote *r, unsigned i, uint64_t bytes, int64_t *deadline);
/* Counts the bytes of that call, warns as server_end, and returns s. */
enum backend_status server_done(struct remote *r, unsigned i, enum backend_status s,
                                const struct fault *fault);
/* Gives up what is noted for faster servers. */
void server_forget_fills(struct remote *r);
/* Deadline of a transfer of that many bytes that began at start. THREAD. */
int64_t server_transfer_deadline(const struct remote *r, int64_t start, uint64_t bytes);

/* Checks a value that is a whole blob; the entry lies in it, or in the arena. *room must be large
 * enough. It is reduced by the memory that the value may take, whatever the outcome. */
enum blob_status server_value(struct remote *r, struct entry *out,
                              const struct backend_bytes *value, enum store_class class,
                              const struct digest *key, uint64_t *room);

/* The event that each exchange with a store leaves (store/job/events.h).
 *
 *     transfer_begin(&t, r);
 *     ... calls ...
 *     transfer_end(&t, r, EVENT_HIT, class, key, NULL);
 *
 * The event belongs to r->job. Its time and bytes are those of the exchange. Its tool is the
 * scheme of the store that was asked last, its command class and address. Nothing is kept where
 * r->job is NULL. */

struct transfer {
	int64_t start;
	uint64_t in, out; /* bytes before */
	unsigned asked;   /* look-ups before */
};
void transfer_begin(struct transfer *t, const struct remote *r);
/* THREAD. 1: since transfer_begin() a look-up asked a store, and did not only remember. */
int transfer_asked(const struct transfer *t, const struct remote *r);
/* verdict: HIT received, STORED sent, MISS absent, ERROR. why: of ERROR, for people; else NULL. */
void transfer_end(const struct transfer *t, struct remote *r, enum event_verdict verdict,
                  enum store_class class, const struct digest *key, const char *why);
