/* remote/get.c - look-ups: candidates of a manifest, a result with its parts. */
#include <string.h>

#include "remote/remote.h"
#include "remote/server.h"
#include "remote/values.h"
#include "remote/wire/reply.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/entry/result.h"
#include "store/job/counters.h"

#include "shim/banned.h"

/* The frameworks' compiles and tuning take longer than this; parcels do not say how long. */
#define UNIT_SAVES_NS 100000000ll

_Static_assert(REMOTE_CANDIDATES <= RESP_ELEMENTS, "a list of candidates is an array");

/* Checks before a look-up. HIT: it may be made. */
static enum remote_status may_ask(struct remote *r, enum store_class class,
                                  const struct digest *key, struct fault *fault)
{
	if (!remote_allows(r, class)) {
		fault_set(fault, 0, r->on ? "REPRISE_REMOTE_CLASSES leaves out this class"
		                          : "no remote store");
		return REMOTE_SKIPPED;
	}
	if (!r->ask_again && negative_cache_known(&r->server->absent, key)) {
		fault_set(fault, ENOENT, "the remote store had no such entry a moment ago");
		return REMOTE_ABSENT;
	}
	return REMOTE_HIT;
}

static enum remote_status is_absent(struct remote *r, const struct digest *key, struct fault *fault)
{
	counters_add(r->server->store, COUNTER_REMOTE_ABSENT, 1);
	negative_cache_note(&r->server->absent, key);
	fault_set(fault, ENOENT, "the remote store has no such entry");
	return REMOTE_ABSENT;
}

static void refuse(struct remote *r, enum blob_status st, const char *what, struct fault *fault)
{
	format_text(r->refused, sizeof r->refused, "a remote %s is %s", what, blob_status_text(st));
	fault_set(fault, EBADMSG, "%s", r->refused);
	if (st == BLOB_NEWER)
		return; /* a newer version is not an error */
	counters_add(r->server->store, COUNTER_REFUSED_ENTRIES, 1);
	log_once(st == BLOB_DAMAGED ? "remote-damaged" : "remote-refused", "%s", r->refused);
}

/* Opens the elements of a manifest's list, and keeps those that pass the checks. */
static unsigned open_candidates(struct remote *r, enum store_class class, const struct digest *k1,
                                const redisReply *list, struct entry out[], unsigned max,
                                struct fault *fault)
{
	uint64_t before = REMOTE_UNPACKED_MAX - r->server->unpacked, room = before;
	unsigned n = 0;

	for (size_t i = 0; i < list->elements && i < max; i++) {
		enum blob_status st = remote_value(r, &out[n], list->element[i], class, k1, &room);

		if (st == BLOB_OK)
			n++;
		else
			refuse(r, st, "candidate", fault);
	}
	r->server->unpacked += before - room;
	r->taken += before - room;
	return n;
}

/* The event of a look-up. Waits ask again and again, so that their absences leave none. */
static void note(const struct transfer *t, struct remote *r, enum remote_status status,
                 enum store_class class, const struct digest *key, const struct fault *fault)
{
	if (!transfer_asked(t, r))
		return;
	if (status == REMOTE_HIT)
		transfer_end(t, r, EVENT_HIT, class, key, NULL);
	else if (status == REMOTE_SKIPPED || *r->refused)
		transfer_end(t, r, EVENT_ERROR, class, key, fault->text);
	else if (!r->ask_again)
		transfer_end(t, r, EVENT_MISS, class, key, NULL);
}

static enum remote_status find_candidates(struct remote *r, enum store_class class,
                                          const struct digest *k1, unsigned from,
                                          struct entry out[], unsigned max, unsigned *count,
                                          int *more, struct fault *fault)
{
	enum remote_status status = may_ask(r, class, k1, fault);
	int64_t start, deadline;
	struct wire *w;

	*count = 0;
	*more = 0;
	r->listed = 0;
	r->refused[0] = '\0';
	if (max > REMOTE_CANDIDATES)
		max = REMOTE_CANDIDATES;
	if (status != REMOTE_HIT || remote_begin(r, &start, &deadline, fault) < 0)
		return status != REMOTE_HIT ? status : REMOTE_SKIPPED;
	counters_add(r->server->store, COUNTER_REMOTE_ASKED, 1);
	enum wire_status s = remote_list(r, class, k1, from, max, deadline, &w, fault);
	remote_end(r, start, s);
	if (s != WIRE_OK)
		return REMOTE_SKIPPED;
	const redisReply *list = w->reply[0];
	if (list->type != REDIS_REPLY_ARRAY) {
		refuse(r, BLOB_DAMAGED, "list of candidates", fault);
		wire_clear(w);
		return REMOTE_ABSENT;
	}
	r->listed = w->reply[1]->integer;
	if (from == 0)
		r->server->unpacked = 0;
	*count = open_candidates(r, class, k1, list, out, max, fault);
	*more = list->elements > 0 && w->reply[1]->integer > (long long)from + max;
	if (list->elements == 0)
		status = from == 0 ? is_absent(r, k1, fault) : REMOTE_ABSENT;
	else if (*count == 0 && !*more)
		status = REMOTE_ABSENT;
	wire_clear(w);
	return status;
}

enum remote_status remote_candidates(struct remote *r, enum store_class class,
                                     const struct digest *k1, unsigned from, struct entry out[],
                                     unsigned max, unsigned *count, int *more, struct fault *fault)
{
	enum remote_status status;
	struct transfer t;

	transfer_begin(&t, r);
	status = find_candidates(r, class, k1, from, out, max, count, more, fault);
	note(&t, r, status, class, k1, fault);
	return status;
}

/* Fetches parts first .. first + n of a blob to their places. 1: a part is missing. */
static int fetch_window(struct remote *r, const struct digest *k2, const char *key,
                        const struct blob_head *h, unsigned first, unsigned n,
                        unsigned char *stored, int64_t deadline, enum wire_status *s,
                        struct fault *fault)
{
	char keys[REMOTE_WINDOW][REMOTE_KEY_MAX];
	const char *argv[REMOTE_WINDOW][2];
	size_t len[REMOTE_WINDOW][2];
	struct cluster_command v[REMOTE_WINDOW];
	struct wire *w;
	void *room[REMOTE_WINDOW];
	int gone = 0;

	for (unsigned i = 0; i < n; i++) {
		len[i][0] = 3;
		len[i][1] = remote_part_key(keys[i], key, h, first + i);
		argv[i][0] = "GET";
		argv[i][1] = keys[i];
		v[i] = (struct cluster_command){2, argv[i], len[i], BLOB_PART};
		room[i] = stored + (size_t)(first + i) * BLOB_PART;
	}
	r->server->cluster.room = room;
	*s = remote_run(r, k2, v, n, deadline, 0, &w, fault);
	for (unsigned i = 0; *s == WIRE_OK && i < n && !gone; i++) {
		const redisReply *part = w->reply[i];

		/* A part of another length would also fail the digest. */
		gone = part->type != REDIS_REPLY_STRING ||
		       (uint64_t)part->len != blob_part_len(h, first + i);
	}
	if (*s == WIRE_OK)
		wire_clear(w);
	return gone;
}

/* Fetches the stored bytes of a blob in parts, whose head is in value. NULL with *s OK: a part is
 * missing, or no memory. */
static unsigned char *fetch_parts(struct remote *r, const struct digest *k2, const char *key,
                                  const struct blob_head *h, const unsigned char *value,
                                  int64_t start, enum wire_status *s, struct fault *fault)
{
	int64_t deadline = remote_transfer_deadline(r, start, h->stored);
	/* The buffer has space for a whole part each, whatever the server sends. */
	unsigned char *stored = arena_alloc(r->arena, (size_t)h->parts * BLOB_PART);

	*s = stored ? WIRE_OK : WIRE_FAULT;
	if (!stored) {
		fault_set(fault, ENOMEM, "no memory for %lu bytes", (unsigned long)h->stored);
		return NULL;
	}
	r->taken += (uint64_t)h->parts * BLOB_PART;
	if (r->coming)
		r->coming(r->coming_ctx, deadline - sys_now_ns(CLOCK_MONOTONIC));
	memcpy(stored, value + BLOB_HEAD, BLOB_PART);
	for (unsigned i = 1; i < h->parts; i += REMOTE_WINDOW) {
		unsigned n = h->parts - i < REMOTE_WINDOW ? h->parts - i : REMOTE_WINDOW;

		if (fetch_window(r, k2, key, h, i, n, stored, deadline, s, fault) || *s != WIRE_OK)
			return NULL;
	}
	return stored;
}

static int64_t wall_of(const struct entry *e, struct arena *a)
{
	struct result result;

	return result_decode(&result, e->payload, e->len, a) == 0 && result.wall_ns < INT64_MAX / 2
	       ? (int64_t)result.wall_ns : 0;
}

/* Takes a result whose first value has arrived. The breaker already knows, so other processes may
 * ask. */
static enum remote_status take_result(struct remote *r, enum store_class class,
                                      const struct digest *k2, const char *key, struct wire *w,
                                      int64_t start, struct entry *out, struct fault *fault)
{
	const redisReply *reply = w->reply[0];
	unsigned char *value = (unsigned char *)reply->str, *stored = value + BLOB_HEAD;
	enum blob_status st = BLOB_DAMAGED;
	enum wire_status s = WIRE_OK;
	struct blob_head h = {.parts = 1};
	int64_t waited = 0;

	if (reply->type == REDIS_REPLY_STRING)
		st = blob_head_read(&h, value, (size_t)reply->len, class, k2, r->max_entry,
		                    &r->server->trust);
	if (st == BLOB_OK && h.parts > 1) {
		int64_t begun = sys_now_ns(CLOCK_MONOTONIC);

		stored = fetch_parts(r, k2, key, &h, value, start, &s, fault);
		waited = sys_now_ns(CLOCK_MONOTONIC) - begun;
		r->waited_ns += waited;
		if (s != WIRE_OK) {
			breaker_done(&r->server->breaker, r->budget, remote_outcome(s), waited, 0);
			return REMOTE_SKIPPED;
		}
	}
	if (st == BLOB_OK && stored)
		st = blob_open(out, &h, value, stored, class, k2, r->arena);
	breaker_done(&r->server->breaker, r->budget, BREAKER_ABANDONED, waited,
	             st != BLOB_OK || !stored ? 0 : class == STORE_RESULT ? wall_of(out, r->arena)
	                                                                  : UNIT_SAVES_NS);
	if (st == BLOB_OK && stored)
		return REMOTE_HIT;
	if (st == BLOB_OK)
		return is_absent(r, k2, fault); /* some parts were evicted */
	refuse(r, st, "result", fault);
	return REMOTE_ABSENT;
}

static enum remote_status find_result(struct remote *r, enum store_class class,
                                      const struct digest *k2, struct entry *out,
                                      struct fault *fault)
{
	enum remote_status status = may_ask(r, class, k2, fault);
	int64_t start, deadline;
	char key[REMOTE_KEY_MAX];
	const char *argv[] = {"GET", key};
	size_t len[] = {3, 0};
	void *room;
	struct cluster_command get = {2, argv, len, BLOB_HEAD + BLOB_PART};
	struct wire *w;

	r->refused[0] = '\0';
	if (status != REMOTE_HIT || remote_begin(r, &start, &deadline, fault) < 0)
		return status != REMOTE_HIT ? status : REMOTE_SKIPPED;
	counters_add(r->server->store, COUNTER_REMOTE_ASKED, 1);
	/* Only pages that are written to take memory. */
	room = arena_alloc(r->arena, BLOB_HEAD + BLOB_PART);
	if (!room) {
		remote_end(r, start, WIRE_FAULT);
		fault_set(fault, ENOMEM, "no memory for a result");
		return REMOTE_SKIPPED;
	}
	len[1] = remote_key(key, r, remote_kind(class), k2);
	r->server->cluster.room = &room;
	enum wire_status s = remote_run(r, k2, &get, 1, deadline, 1, &w, fault);
	if (s == WIRE_OK && wire_error(w->reply[0]) != WIRE_ERR_WRONGTYPE)
		s = remote_judge(w, fault);
	remote_end(r, start, s);
	if (s != WIRE_OK)
		return REMOTE_SKIPPED;
	if (w->reply[0]->type == REDIS_REPLY_NIL)
		status = is_absent(r, k2, fault);
	else
		status = take_result(r, class, k2, key, w, start, out, fault);
	wire_clear(w);
	return status;
}

enum remote_status remote_result(struct remote *r, enum store_class class, const struct digest *k2,
                                 struct entry *out, struct fault *fault)
{
	enum remote_status status;
	struct transfer t;

	transfer_begin(&t, r);
	status = find_result(r, class, k2, out, fault);
	note(&t, r, status, class, k2, fault);
	return status;
}

void remote_note_duration(struct remote *r, int64_t wall_ns)
{
	if (r->on)
		breaker_note_duration(&r->server->breaker, r->budget, wall_ns);
}
