/* remote/get.c - look-ups: candidates of a manifest, a result. */
#include <errno.h>
#include <string.h>

#include "remote/arrival.h"
#include "remote/put.h"
#include "remote/read_ahead.h"
#include "remote/remote.h"
#include "remote/server.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/entry/result.h"
#include "store/job/counters.h"

#include "shim/banned.h"

/* The frameworks' compiles and tuning take longer than this; parcels do not say how long. */
#define UNIT_SAVES_NS 100000000ll

/* Checks before a look-up. HIT: it may be made. */
static enum remote_status may_ask(struct remote *r, enum store_class class, struct fault *fault)
{
	r->refused[0] = '\0';
	if (remote_allows(r, class))
		return REMOTE_HIT;
	fault_set(fault, 0, r->on ? "REPRISE_REMOTE_CLASSES leaves out this class"
	                          : "no remote store");
	return REMOTE_SKIPPED;
}

/* 1: server i said a moment ago that it has no such entry. */
static int is_known_absent(struct remote *r, unsigned i, struct question *q,
                           const struct digest *key, struct fault *fault)
{
	if (r->ask_again || !absent_known(r->server[i].absent, key))
		return 0;
	q->without |= 1u << i;
	fault_set(fault, ENOENT, "the remote store had no such entry a moment ago");
	return 1;
}

static enum remote_status is_absent(struct remote *r, unsigned i, struct question *q,
                                    const struct digest *key, struct fault *fault)
{
	q->without |= 1u << i;
	absent_note(r->server[i].absent, key);
	if (!q->failed)
		fault_set(fault, ENOENT, "the remote store has no such entry");
	return REMOTE_ABSENT;
}

static enum remote_status refuse(struct remote *r, enum blob_status st, const char *what,
                                 struct fault *fault)
{
	format_text(r->refused, sizeof r->refused, "a remote %s is %s", what, blob_status_text(st));
	fault_set(fault, EBADMSG, "%s", r->refused);
	if (st == BLOB_NEWER)
		return REMOTE_ABSENT; /* a newer version is not an error */
	counters_add(r->server->store, COUNTER_REFUSED_ENTRIES, 1);
	log_once(st == BLOB_DAMAGED ? "remote-damaged" : "remote-refused", "%s", r->refused);
	return REMOTE_ABSENT;
}

/* What lies under the name is no entry, or may not be served. */
static enum remote_status refuse_foreign(struct remote *r, const char *what, struct fault *fault)
{
	format_text(r->refused, sizeof r->refused, "a remote %s is not used: %s", what,
	            fault->text);
	counters_add(r->server->store, COUNTER_REFUSED_ENTRIES, 1);
	log_once("remote-foreign", "a remote %s is not used: %s", what, fault->text);
	return REMOTE_ABSENT;
}

/* The answer of a question that no server could answer with a hit. A failure leaves open what the
 * server has; a server that was not asked leaves nothing open if another one answered. */
static enum remote_status without_hit(struct remote *r, const struct question *q, int is_first)
{
	if (q->failed || (!q->without && !*r->refused))
		return REMOTE_SKIPPED;
	if (q->asked && is_first && !*r->refused)
		counters_add(r->server->store, COUNTER_REMOTE_ABSENT, 1);
	return REMOTE_ABSENT;
}

/* Most candidates take some kilobytes, and unpack at once. */
#define LIST_SMALL (256u << 10)
#define UNPACK_NS 2000000000ll

static uint64_t list_bytes(const struct backend_list *list)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < list->count; k++)
		n += list->v[k].len;
	return n;
}

/* What the candidates of a look-up may unpack to. */
static uint64_t unpacked_most(const struct remote *r)
{
	return r->memory && r->memory / 2 < REMOTE_UNPACKED_MAX ? r->memory / 2
	                                                        : REMOTE_UNPACKED_MAX;
}

/* Opens the elements of a manifest's list, and keeps those that pass the checks. */
static unsigned open_candidates(struct remote *r, unsigned i, const struct question *q,
                                enum store_class class, const struct digest *k1,
                                const struct backend_list *list, struct entry out[],
                                struct fault *fault)
{
	uint64_t most = unpacked_most(r), before, room;
	unsigned n = 0, kept[BACKEND_LIST];

	room = before = most > r->shared->unpacked ? most - r->shared->unpacked : 0;
	/* What a writer of the store made large takes longer to unpack than a look-up may. */
	if (r->coming && list_bytes(list) > LIST_SMALL)
		r->coming(r->coming_ctx, UNPACK_NS);
	for (unsigned k = 0; k < list->count; k++) {
		enum blob_status st = server_value(r, &out[n], &list->v[k], class, k1, &room);

		if (st == BLOB_OK)
			kept[n++] = k;
		else
			refuse(r, st, "candidate", fault);
	}
	r->shared->unpacked += before - room;
	/* The newest one last, since each becomes the first of a list. */
	for (unsigned k = n; k-- > 0;)
		backfill_note(r, i, q->without, class, k1, &out[k], list->v[kept[k]]);
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

/* A page of candidates. The lists of the servers count as one list, in which each begins at a whole
 * page: so a position alone says which server has it, and no state is kept between questions. */
struct page {
	enum store_class class;
	const struct digest *k1;
	unsigned from, max; /* from: in the current server's list */
	struct entry *out;
	unsigned *count;
	int *more;
};

/* Asks server i. ABSENT: it has nothing at that position; then p->from is counted from its end. */
static enum remote_status ask_list(struct remote *r, unsigned i, struct question *q,
                                   struct page *p, struct fault *fault)
{
	struct backend *b = &r->server[i].backend;
	struct backend_name name = server_name(p->class, p->k1);
	struct backend_read *came;
	struct backend_list list = {.count = 0};
	enum backend_status s;

	if (is_known_absent(r, i, q, p->k1, fault))
		return REMOTE_ABSENT;
	came = p->from ? NULL : read_ahead_take(r, i, &name, p->max);
	if (came) {
		s = came->status;
		list = came->list;
	} else if (server_begin(r, i, q, fault) < 0) {
		return REMOTE_SKIPPED;
	} else {
		s = b->ops->candidates(b, &name, p->from, p->max, &list, q->deadline, fault);
		server_end(r, i, q, s, fault);
	}
	if (s == BACKEND_OK && !list.count)
		s = BACKEND_ABSENT;
	if (list.length < 0 || list.length > REMOTE_CANDIDATES)
		list.length = REMOTE_CANDIDATES;
	/* A lease's holder adds to the list of that server. */
	if (i == server_of_leases(r))
		r->listed = list.length;
	if (s == BACKEND_FOREIGN)
		return refuse_foreign(r, "list of candidates", fault);
	if (s == BACKEND_ABSENT && p->from && list.length) {
		unsigned pages = ((unsigned)list.length + p->max - 1) / p->max;

		q->without |= 1u << i;
		p->from -= pages * p->max < p->from ? pages * p->max : p->from;
		return REMOTE_ABSENT;
	}
	if (s == BACKEND_ABSENT)
		return is_absent(r, i, q, p->k1, fault);
	if (s != BACKEND_OK)
		return REMOTE_SKIPPED;
	*p->count = open_candidates(r, i, q, p->class, p->k1, &list, p->out, fault);
	*p->more = list.length > (int64_t)p->from + p->max;
	return *p->count || *p->more ? REMOTE_HIT : REMOTE_ABSENT;
}

static enum remote_status find_candidates(struct remote *r, struct page *p, struct fault *fault)
{
	enum remote_status status = may_ask(r, p->class, fault);
	int is_first = p->from == 0;
	struct question q;

	*p->count = 0;
	*p->more = 0;
	r->listed = 0;
	if (p->max > REMOTE_CANDIDATES)
		p->max = REMOTE_CANDIDATES;
	if (status != REMOTE_HIT)
		return status;
	if (is_first || !digest_equal(&r->shared->listing, p->k1))
		r->shared->unpacked = 0;
	r->shared->listing = *p->k1;
	question_begin(&q, r);
	for (unsigned i = 0; i < r->servers; i++) {
		if (ask_list(r, i, &q, p, fault) != REMOTE_HIT)
			continue;
		*p->more |= i + 1 < r->servers;
		return REMOTE_HIT;
	}
	return without_hit(r, &q, is_first);
}

enum remote_status remote_candidates(struct remote *r, enum store_class class,
                                     const struct digest *k1, unsigned from, struct entry out[],
                                     unsigned max, unsigned *count, int *more, struct fault *fault)
{
	enum remote_status status;
	struct transfer t;

	transfer_begin(&t, r);
	status = find_candidates(r, &(struct page){class, k1, from, max, out, count, more}, fault);
	note(&t, r, status, class, k1, fault);
	return status;
}

static int64_t wall_of(const unsigned char *first, size_t n)
{
	uint64_t ns = n < RESULT_FIRST ? 0 : result_wall_ns(first);

	return ns < INT64_MAX / 2 ? (int64_t)ns : 0;
}

/* A get in progress. */
struct fetch {
	struct remote *r;
	unsigned server;
	struct question *q;
	enum store_class class;
	const struct digest *key;
	struct backend_limit limit;
	struct blob_head head;
	enum blob_status st;
	int64_t rest; /* when the rest of a large object began; 0: there is none */
	struct arrival arrival; /* where the bytes go as they come (remote->into) */
	struct fault *fault;
};

static int take_piece(void *ctx, const void *p, size_t n)
{
	return arrival_take(&((struct fetch *)ctx)->arrival, p, n);
}

/* An object of up to so many bytes that faster stores lack stays in memory for them. */
#define BACKFILL_SMALL (4u << 20)

/* Memory that the object would take: its bytes, and what they unpack to. */
static int fits(const struct fetch *f)
{
	const struct remote *r = f->r;
	uint64_t need = f->head.stored + f->head.entry_len, most = r->memory / 2;

	return !most || (need <= most && arena_size(r->arena) <= most - need);
}

/* Decides where the object goes. 0, or -1: there is no room for it. */
static int choose_place(struct fetch *f, const void *first)
{
	struct remote *r = f->r;
	int fills = backfill_wants(f->server, f->q->without);
	uint64_t least = fills && r->into_least < BACKFILL_SMALL ? BACKFILL_SMALL : r->into_least;

	if (f->limit.take && (f->head.entry_len >= least || !fits(f)) &&
	    arrival_begin(&f->arrival, r->into, &f->head, first, f->class, f->key, fills,
	                  f->fault) == 0)
		return 0;
	f->limit.take = NULL;
	return fits(f) ? 0 : -1;
}

/* Checks the head before the rest is read. The breaker then already knows that the server answers,
 * so other processes may ask. */
static uint64_t accept_head(void *ctx, const void *first, size_t n)
{
	struct fetch *f = ctx;
	struct remote *r = f->r;

	f->st = blob_head_alone(&f->head, first, n, f->class, f->key, r->max_entry,
	                        &r->shared->trust);
	if (f->st == BLOB_OK && choose_place(f, first) < 0)
		f->st = BLOB_TOO_LARGE;
	if (f->st != BLOB_OK || f->head.stored <= n - BLOB_HEAD)
		return f->st == BLOB_OK ? n : 0;
	server_end(r, f->server, f->q, BACKEND_OK, f->fault);
	f->rest = sys_now_ns(CLOCK_MONOTONIC);
	f->limit.rest_by = server_transfer_deadline(r, f->q->start, f->head.stored);
	if (f->head.parts > 1) {
		if (r->coming)
			r->coming(r->coming_ctx, f->limit.rest_by - f->rest);
	}
	return BLOB_HEAD + f->head.stored;
}

/* Tells the breaker what the rest cost, and what a hit saves. */
static void end_fetch(struct fetch *f, enum backend_status s, int64_t saved)
{
	struct remote *r = f->r;
	int64_t waited = 0;
	int answers = server_outcome(s) == BREAKER_SUCCESS;

	if (!f->rest) {
		server_end(r, f->server, f->q, s, f->fault);
	} else {
		waited = sys_now_ns(CLOCK_MONOTONIC) - f->rest;
		server_done(r, f->server, s, f->fault);
		f->q->failed |= !answers;
	}
	if (f->rest || saved)
		breaker_done(&r->server[f->server].breaker, r->budget,
		             answers ? BREAKER_ABANDONED : server_outcome(s), waited, saved);
}

/* A get that ended since the bytes could not be taken: the status that says why. */
static enum backend_status status_of_arrival(struct fetch *f, enum backend_status s)
{
	if (s != BACKEND_FAULT || !f->arrival.error)
		return s;
	f->st = BLOB_DAMAGED;
	if (f->arrival.error == -EBADMSG)
		return BACKEND_OK;
	fault_sys(f->fault, -f->arrival.error, "store entry", f->r->into->dir);
	return s;
}

/* An object that came ahead. */
static enum backend_status take_whole(struct fetch *f, const struct backend_bytes *whole)
{
	struct remote *r = f->r;

	f->st = blob_head_alone(&f->head, whole->data, whole->len, f->class, f->key, r->max_entry,
	                        &r->shared->trust);
	if (f->st == BLOB_OK && choose_place(f, whole->data) < 0)
		f->st = BLOB_TOO_LARGE;
	return f->st == BLOB_OK ? backend_take(&f->limit, whole->data, whole->len) : BACKEND_OK;
}

/* The entry of an object that came; sets f->st. */
static void open_object(struct fetch *f, const struct backend_bytes *whole, struct entry *out)
{
	if (f->arrival.fd) {
		f->st = arrival_end(&f->arrival, f->fault);
		*out = (struct entry){.class = f->class, .key = *f->key,
		                      .len = f->head.entry_len - ENTRY_HEAD - ENTRY_TAIL};
		memcpy(f->r->into_first, f->arrival.blob.first + ENTRY_HEAD,
		       sizeof f->r->into_first);
	} else {
		f->st = whole->len == BLOB_HEAD + f->head.stored
		        ? blob_open(out, &f->head, whole->data, whole->data + BLOB_HEAD, f->class,
		                    f->key, f->r->arena)
		        : BLOB_DAMAGED;
	}
}

static int64_t saved_by(const struct fetch *f, const struct entry *e)
{
	if (f->class != STORE_RESULT)
		return UNIT_SAVES_NS;
	return e->payload ? wall_of(e->payload, e->len)
	                  : wall_of(f->arrival.blob.first + ENTRY_HEAD, e->len);
}

static enum remote_status ask_result(struct remote *r, unsigned i, struct question *q,
                                     enum store_class class, const struct digest *k2,
                                     struct entry *out, struct fault *fault)
{
	struct backend *b = &r->server[i].backend;
	struct backend_name name = server_name(class, k2);
	struct fetch f = {.r = r, .server = i, .q = q, .class = class, .key = k2, .fault = fault,
	                  .st = BLOB_DAMAGED, .arrival.copy = -1};
	struct backend_bytes whole = {NULL, 0};
	struct backend_read *came;
	enum backend_status s;

	if (is_known_absent(r, i, q, k2, fault))
		return REMOTE_ABSENT;
	came = read_ahead_take(r, i, &name, 0);
	if (!came && server_begin(r, i, q, fault) < 0)
		return REMOTE_SKIPPED;
	f.limit = (struct backend_limit){.accept = accept_head, .ctx = &f,
	                                 .most = BLOB_HEAD + r->max_entry};
	if (r->into)
		f.limit.take = take_piece;
	if (came) {
		s = came->status;
		whole = came->bytes;
		if (s == BACKEND_OK)
			s = take_whole(&f, &whole);
	} else {
		s = b->ops->get(b, &name, &f.limit, &whole, q->deadline, fault);
	}
	s = status_of_arrival(&f, s);
	if (s == BACKEND_OK && f.st == BLOB_OK)
		open_object(&f, &whole, out);
	else
		arrival_drop(&f.arrival);
	int hit = s == BACKEND_OK && f.st == BLOB_OK;
	if (!came)
		end_fetch(&f, s, hit ? saved_by(&f, out) : 0);
	if (hit && f.arrival.copy >= 0)
		backfill_note_file(r, i, q->without, class, k2, f.arrival.copy,
		                   BLOB_HEAD + f.head.stored);
	if (hit && !out->payload && fault->code)
		return REMOTE_SKIPPED;
	if (hit && out->payload)
		backfill_note(r, i, q->without, class, k2, out, whole);
	if (s == BACKEND_ABSENT) /* or some parts were evicted */
		return is_absent(r, i, q, k2, fault);
	if (s == BACKEND_FOREIGN)
		return refuse_foreign(r, "result", fault);
	if (s == BACKEND_OK)
		return hit ? REMOTE_HIT : refuse(r, f.st, "result", fault);
	return REMOTE_SKIPPED;
}

static enum remote_status find_result(struct remote *r, enum store_class class,
                                      const struct digest *k2, struct entry *out,
                                      struct fault *fault)
{
	enum remote_status status = may_ask(r, class, fault);
	struct question q;

	if (status != REMOTE_HIT)
		return status;
	question_begin(&q, r);
	for (unsigned i = 0; i < r->servers; i++)
		if (ask_result(r, i, &q, class, k2, out, fault) == REMOTE_HIT)
			return REMOTE_HIT;
	return without_hit(r, &q, 1);
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
	for (unsigned i = 0; r->on && i < r->servers; i++)
		breaker_note_duration(&r->server[i].breaker, r->budget, wall_ns);
}
