/* remote/values.h - functions that look-ups (remote/get.c) and puts (remote/put.c) share: names
 * of values, reading and checking them.
 *
 * Functions without a mark run where those of remote/remote.h do: only where no other thread
 * runs. */
#ifndef REMOTE_VALUES_H
#define REMOTE_VALUES_H

#include "remote/server.h"
#include "shim/format.h"
#include "store/entry/blob.h"
#include "store/job/event_record.h"

/* Parts in flight at once: bounds the memory beside the result's own. */
#define REMOTE_WINDOW 4
#define REMOTE_DIGITS 24

/* CHILD. Formats a number as an argument and returns out. */
static inline char *remote_number(char out[REMOTE_DIGITS], uint64_t v)
{
	format_text(out, REMOTE_DIGITS, "%lu", (unsigned long)v);
	return out;
}
/* A candidate is one value; a candidate with 40,000 probes packs into a quarter of this size. */
#define REMOTE_CANDIDATE_MAX (4u << 20)

/* THREAD. Name of a value: "P:1:<kind>:{hex}". Returns its length. */
#define REMOTE_KEY_MAX 512
size_t remote_key(char out[REMOTE_KEY_MAX], const struct remote *r, char kind,
                  const struct digest *key);
/* THREAD. Name of part i of the blob under key. Returns its length. */
size_t remote_part_key(char out[REMOTE_KEY_MAX], const char *key, const struct blob_head *h,
                       unsigned i);
/* CHILD. Letter of a class in names. */
char remote_kind(enum store_class class);

/* LRANGE of a manifest or set with its LLEN. OK: reply 0 is an array, or the error WRONGTYPE. */
enum wire_status remote_list(struct remote *r, enum store_class class, const struct digest *k1,
                             unsigned from, unsigned max, int64_t deadline, struct wire **w,
                             struct fault *fault);
/* Checks a value that is a whole blob, and copies it to an entry that outlives it. *room must be
 * large enough. It is reduced by the memory that the value may take, whatever the outcome. */
enum blob_status remote_value(struct remote *r, struct entry *out, const redisReply *value,
                              enum store_class class, const struct digest *key, uint64_t *room);

/* The event that each exchange with the server leaves (store/job/events.h).
 *
 *     transfer_begin(&t, r);
 *     ... commands ...
 *     transfer_end(&t, r, EVENT_HIT, class, key, NULL);
 *
 * The event belongs to r->job. Its time and bytes are those of the exchange. Its tool is the remote
 * store's name, its command class and address. Nothing is kept where r->job is NULL.
 *
 * Functions without a mark run where those of remote/remote.h do: only where no other thread
 * runs. */

struct transfer {
	int64_t start;
	uint64_t in, out; /* bytes before */
	unsigned asked;   /* look-ups before */
};
void transfer_begin(struct transfer *t, const struct remote *r);
/* THREAD. 1: since transfer_begin() a look-up asked the server, and did not only remember. */
int transfer_asked(const struct transfer *t, const struct remote *r);
/* verdict: HIT received, STORED sent, MISS absent, ERROR. why: of ERROR, for people; else NULL. */
void transfer_end(const struct transfer *t, struct remote *r, enum event_verdict verdict,
                  enum store_class class, const struct digest *key, const char *why);

#endif
