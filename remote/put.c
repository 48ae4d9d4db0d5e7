/* remote/put.c - puts: the publisher writes to the remote stores. */
#include "remote/put.h"

#include <errno.h>
#include <string.h>

#include "remote/remote.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/job/events.h"

#include "shim/banned.h"

/* Of several stores, one that failed a put is left alone for so long. */
#define REST_NS 10000000000ll

static int signs_enough(const struct remote *r)
{
	return r->shared->trust.count == 0 || r->shared->trust.signing;
}

int put_is_open(const struct remote *r, unsigned i)
{
	const struct remote_server *s = &r->server[i];

	if (s->place->readonly)
		return 0;
	return r->servers == 1 || (!breaker_publishing_is_off(&s->breaker) &&
	                           sys_now_ns(CLOCK_MONOTONIC) >= s->rest_until);
}

int remote_may_publish(const struct remote *r)
{
	int may = 0;

	for (unsigned i = 0; r->on && i < r->servers; i++)
		may |= !r->server[i].place->readonly &&
		       !breaker_publishing_is_off(&r->server[i].breaker);
	return may && r->shared->config.classes && signs_enough(r);
}

/* s; 0: endless. What a job did or used is of no use for longer than the node itself keeps it. */
static unsigned ttl_of(const struct remote *r, enum store_class class)
{
	unsigned ttl = r->shared->config.ttl_s;
	int of_job = class == STORE_JOB_NODE || class == STORE_JOB_USED;

	return of_job && (!ttl || ttl > EVENTS_KEEP_S) ? EVENTS_KEEP_S : ttl;
}

static int is_readonly(const struct remote *r)
{
	for (unsigned i = 0; i < r->servers; i++)
		if (!r->server[i].place->readonly)
			return 0;
	return 1;
}

/* Checks before a put. 0, or 1 with *fault: it can never be put. */
static int may_put(const struct remote *r, enum store_class class, size_t n, struct fault *fault)
{
	if (!r->on || is_readonly(r))
		fault_set(fault, EROFS, r->on ? "nothing is published from here"
		                              : "no remote store");
	else if (!remote_allows(r, class))
		fault_set(fault, EPERM, "REPRISE_REMOTE_CLASSES leaves out this class");
	/* others would refuse the entry, and it would replace one that they accept */
	else if (!signs_enough(r))
		fault_set(fault, EPERM, "REPRISE_TRUST is set, and REPRISE_SIGN_KEY is not");
	else if (n > r->max_entry)
		fault_set(fault, EFBIG, "%lu bytes are too large", (unsigned long)n);
	else
		return 0;
	return 1;
}

/* Meaning of a put's status: 0, 1 or -1. */
static int verdict(struct remote *r, unsigned i, enum backend_status s, struct fault *fault)
{
	struct breaker *b = &r->server[i].breaker;

	switch (server_done(r, i, s, fault)) {
	case BACKEND_OK:
		breaker_note_answer(b);
		return 0;
	case BACKEND_FOREIGN:
		return 1;
	case BACKEND_DENIED:
		if (fault->code != EPERM)
			break;
		breaker_set_publishing_off(b);
		log_once("remote-noperm",
		         "the remote store does not let this user write: nothing is published");
		fault->code = EACCES;
		break;
	case BACKEND_SERVER:
		log_once("remote-server", "publishing waits: %s", fault->text);
		break;
	default:
		break;
	}
	r->server[i].rest_until = sys_now_ns(CLOCK_MONOTONIC) + REST_NS;
	return -1;
}

/* The index of the list's candidate that leads to that result; -1: none has. -2: no answer. */
static int find_listed(struct remote *r, unsigned i, const struct put *p, struct fault *fault)
{
	struct backend_name name = server_name(p->class, p->key);
	uint64_t room = REMOTE_UNPACKED_MAX;
	struct backend_list list;
	struct entry e;
	int64_t deadline;
	struct backend *b = server_use(r, i, 0, &deadline);
	enum backend_status s = b->ops->candidates(b, &name, 0, REMOTE_CANDIDATES, &list, deadline,
	                                           fault);

	if (s == BACKEND_ABSENT || s == BACKEND_FOREIGN) /* a put gets that error as well */
		return -1;
	if (s != BACKEND_OK)
		return verdict(r, i, s, fault) < 0 ? -2 : -1;
	for (unsigned k = 0; k < list.count; k++)
		if (server_value(r, &e, &list.v[k], p->class, p->key, &room) == BLOB_OK &&
		    e.len >= DIGEST_SIZE && memcmp(e.payload, p->result, DIGEST_SIZE) == 0)
			return (int)k;
	return -1;
}

static int put_one(struct remote *r, unsigned i, const struct put *p, struct fault *fault)
{
	struct backend_name name = server_name(p->class, p->key);
	unsigned ttl = ttl_of(r, p->class);
	int drop = p->result ? find_listed(r, i, p, fault) : -1, rc;
	int64_t deadline;
	struct backend *b = server_use(r, i, p->stored.len, &deadline);
	enum backend_status s;

	if (drop == -2)
		return -1;
	if (p->result) {
		/* Its bytes follow its head: see put_candidate. */
		struct backend_bytes whole = {p->head.data,
		                              p->head.len + (size_t)p->stored.len};

		s = b->ops->add_candidate(b, &name, whole, drop, ttl, deadline, fault);
	} else {
		s = b->ops->put(b, &name, p->head, &p->stored, ttl, deadline, fault);
	}
	rc = verdict(r, i, s, fault);
	if (rc == 0)
		absent_forget(r->server[i].absent, p->key);
	return rc;
}

int put_into(struct remote *r, unsigned i, const struct put *p, struct fault *fault)
{
	struct transfer t;
	int rc;

	r->shared->last = i;
	transfer_begin(&t, r);
	rc = put_one(r, i, p, fault);
	if (rc <= 0)
		transfer_end(&t, r, rc == 0 ? EVENT_STORED : EVENT_ERROR, p->class, p->key,
		             rc == 0 ? NULL : fault->text);
	return rc;
}

/* 0: a store has it. */
static int put_everywhere(struct remote *r, const struct put *p, struct fault *fault)
{
	int done = 0, later = 0, tried = 0;

	for (unsigned i = 0; i < r->servers; i++) {
		struct fault own = {0, ""};
		int rc;

		if (!put_is_open(r, i))
			continue;
		tried = 1;
		rc = put_into(r, i, p, &own);
		done |= rc == 0;
		later |= rc < 0;
		if (rc < 0 || !later)
			*fault = own;
	}
	if (!tried)
		fault_set(fault, EAGAIN, "no remote store takes puts at the moment");
	return done ? 0 : later || !tried ? -1 : 1;
}

int remote_put_candidate(struct remote *r, enum store_class class, const struct digest *k1,
                         const void *payload, size_t n, struct fault *fault)
{
	unsigned char head[BLOB_HEAD], *value;
	const unsigned char *stored;
	size_t len;

	if (may_put(r, class, n, fault))
		return 1;
	if (n < DIGEST_SIZE) {
		fault_set(fault, EINVAL, "a candidate of %lu bytes", (unsigned long)n);
		return 1;
	}
	if (blob_make(head, &stored, &len, class, k1, payload, n, &r->shared->trust, r->arena,
	              fault) < 0)
		return 1;
	value = arena_alloc(r->arena, BLOB_HEAD + len);
	if (!value || len > REMOTE_CANDIDATE_MAX || n > REMOTE_UNPACKED_MAX / 2) {
		fault_set(fault, EFBIG, "a candidate of %lu bytes is too large",
		          (unsigned long)len);
		return 1;
	}
	memcpy(value, head, BLOB_HEAD);
	memcpy(value + BLOB_HEAD, stored, len);
	return put_everywhere(r, &(struct put){class, k1, {value, BLOB_HEAD},
	                                       source_memory(value + BLOB_HEAD, len),
	                                       payload}, fault);
}

/* Puts a result or a unit of n bytes, which is a blob. */
static int put_blob(struct remote *r, enum store_class class, const struct digest *k2, size_t n,
                    const unsigned char head[BLOB_HEAD], struct source stored,
                    struct fault *fault)
{
	struct blob_head h;
	enum blob_status st = blob_head_alone(&h, head, BLOB_HEAD, class, k2, r->max_entry, NULL);

	if (st == BLOB_OK)
		return put_everywhere(r, &(struct put){class, k2, {head, BLOB_HEAD}, stored, NULL},
		                      fault);
	fault_set(fault, EFBIG, "a result of %lu bytes is %s", (unsigned long)n,
	          blob_status_text(st));
	return 1;
}

int remote_put_result(struct remote *r, enum store_class class, const struct digest *k2,
                      const void *payload, size_t n, struct fault *fault)
{
	unsigned char head[BLOB_HEAD];
	const unsigned char *stored;
	size_t len;

	if (may_put(r, class, n, fault))
		return 1;
	if (blob_make(head, &stored, &len, class, k2, payload, n, &r->shared->trust, r->arena,
	              fault) < 0)
		return 1;
	return put_blob(r, class, k2, n, head, source_memory(stored, len), fault);
}

int remote_put_file(struct remote *r, enum store_class class, const struct digest *k2, int fd,
                    uint64_t n, struct fault *fault)
{
	int packed, rc = 1;
	struct blob_file b;

	if (may_put(r, class, n, fault))
		return 1;
	packed = tmp_unnamed(r->server->store->dir);
	if (blob_make_file(&b, class, k2, fd, n, packed, &r->shared->trust, r->arena, fault) == 0)
		rc = put_blob(r, class, k2, n, b.head,
		              (struct source){.fd = b.fd, .len = b.stored}, fault);
	if (packed >= 0)
		sys_close(packed);
	return rc;
}

int remote_remove(struct remote *r, enum store_class class, const struct digest *key,
                  struct fault *fault)
{
	struct backend_name name = server_name(class, key);
	int worst = 0;

	if (is_readonly(r)) {
		fault_set(fault, EROFS, "nothing is changed from here");
		return 1;
	}
	for (unsigned i = 0; i < r->servers; i++) {
		struct fault own = {0, ""};
		int64_t deadline;

		if (r->server[i].place->readonly)
			continue;
		struct backend *b = server_use(r, i, 0, &deadline);
		int rc = verdict(r, i, b->ops->remove(b, &name, deadline, &own), &own);
		if (rc && worst >= 0) {
			worst = rc;
			*fault = own;
		}
	}
	return worst;
}

/* What a slower store had, for the faster ones. */

/* Room for a note of these servers; NULL: none is wanted, or there is none. */
static struct backfill *note(struct remote *r, unsigned i, unsigned without,
                             enum store_class class, const struct digest *key)
{
	struct remote_shared *c = r->shared;
	struct backfill *f = &c->fill[c->fills];

	if (!backfill_wants(i, without) || c->fills == BACKFILL_MAX)
		return NULL;
	*f = (struct backfill){.class = class, .key = *key,
	                       .servers = without & ((1u << i) - 1)};
	return f;
}

void backfill_note(struct remote *r, unsigned i, unsigned without, enum store_class class,
                   const struct digest *key, const struct entry *e, struct backend_bytes blob)
{
	struct backfill *f = note(r, i, without, class, key);

	if (!f)
		return;
	f->blob = source_memory(blob.data, blob.len);
	f->is_listed = class == STORE_MANIFEST || class == STORE_SET;
	if (f->is_listed && e->len < DIGEST_SIZE)
		return;
	if (f->is_listed)
		memcpy(f->result, e->payload, DIGEST_SIZE);
	r->shared->fills++;
}

void backfill_note_file(struct remote *r, unsigned i, unsigned without, enum store_class class,
                        const struct digest *key, int fd, uint64_t len)
{
	struct backfill *f = note(r, i, without, class, key);

	if (!f) {
		sys_close(fd);
		return;
	}
	f->blob = (struct source){.fd = fd, .len = len};
	r->shared->fills++;
}

static void put_noted(struct remote *r, const struct backfill *f)
{
	unsigned char room[BLOB_HEAD];
	struct arena own = ARENA_INIT, *answers = r->arena;
	struct fault ignored = {0, ""};
	struct source rest = f->blob;
	const void *head;
	int error;

	head = rest.len < BLOB_HEAD ? NULL
	                            : source_piece(&f->blob, 0, BLOB_HEAD, room, &error);
	if (!head)
		return;
	rest.len -= BLOB_HEAD;
	if (rest.data)
		rest.data += BLOB_HEAD;
	else
		rest.at += BLOB_HEAD;
	r->arena = &own;
	for (unsigned i = 0; i < r->servers; i++)
		if (f->servers >> i & 1 && put_is_open(r, i) &&
		    !breaker_publishing_is_off(&r->server[i].breaker))
			put_into(r, i, &(struct put){f->class, &f->key, {head, BLOB_HEAD}, rest,
			                             f->is_listed ? f->result : NULL}, &ignored);
	r->arena = answers;
	arena_free(&own);
}

void remote_backfill(struct remote *r)
{
	if (!r->on)
		return;
	for (unsigned k = 0; k < r->shared->fills; k++)
		put_noted(r, &r->shared->fill[k]);
	server_forget_fills(r);
}
