/* remote/query.c - what the publisher asks before it sends, and whether the stores answer at all.
 * The publisher has connections of its own and delays no job, so it does not ask the breaker. */
#include <errno.h>

#include "remote/put.h"
#include "remote/remote.h"
#include "remote/server.h"

#include "shim/banned.h"

/* A get of the first value. */
struct first {
	struct remote *r;
	enum store_class class;
	const struct digest *key;
	struct blob_head head;
	enum blob_status st;
};

static uint64_t accept_first(void *ctx, const void *first, size_t n)
{
	struct first *f = ctx;

	f->st = blob_head_alone(&f->head, first, n, f->class, f->key, f->r->max_entry,
	                        &f->r->shared->trust);
	return f->st == BLOB_OK && f->head.parts == 1 ? BLOB_HEAD + f->head.stored : 0;
}

/* Gets the head, and the rest if there is one part. 1: head and length were checked. 0: no such
 * blob, or an error that a put gets as well. -1 with *fault: no answer. */
static int get_first(unsigned i, struct first *f, struct backend_bytes *out, struct fault *fault)
{
	struct backend_name name = server_name(f->class, f->key);
	struct backend_limit limit = {.accept = accept_first, .ctx = f,
	                              .most = BLOB_HEAD + f->r->max_entry};
	int64_t deadline;
	struct backend *b = server_use(f->r, i, BLOB_PART, &deadline);

	f->st = BLOB_DAMAGED;
	switch (server_done(f->r, i, b->ops->get(b, &name, &limit, out, deadline, fault), fault)) {
	case BACKEND_OK:
		return f->st == BLOB_OK &&
		       (f->head.parts > 1 || out->len == BLOB_HEAD + f->head.stored);
	case BACKEND_ABSENT: case BACKEND_FOREIGN: case BACKEND_SERVER:
		return 0;
	case BACKEND_DENIED:
		return fault->code == EPERM ? 0 : -1;
	default:
		return -1;
	}
}

static int has(struct remote *r, unsigned i, enum store_class class, const struct digest *k2,
               struct fault *fault)
{
	struct first f = {.r = r, .class = class, .key = k2};
	struct backend_name name = server_name(class, k2);
	struct backend_bytes first;
	int64_t deadline;
	struct backend *b = server_use(r, i, 0, &deadline);
	int rc = b->ops->has(b, &name, deadline, fault);

	server_done(r, i, BACKEND_OK, fault);
	/* With trusted keys, an unsigned value is as good as absent. */
	return rc > 0 && r->shared->trust.count ? get_first(i, &f, &first, fault) : rc;
}

int remote_has(struct remote *r, enum store_class class, const struct digest *k2,
               struct fault *fault)
{
	int answered = 0, all = 1;

	if (!remote_allows(r, class))
		return 0;
	for (unsigned i = 0; i < r->servers; i++) {
		int rc = put_is_open(r, i) ? has(r, i, class, k2, fault) : -1;

		answered |= rc >= 0;
		all &= rc != 0;
	}
	return answered ? all : -1;
}

int remote_get_single(struct remote *r, enum store_class class, const struct digest *k2,
                      struct entry *out, struct fault *fault)
{
	struct first f = {.r = r, .class = class, .key = k2};
	int answered = 0;

	if (!remote_allows(r, class))
		return 0;
	for (unsigned i = 0; i < r->servers; i++) {
		struct backend_bytes value;
		uint64_t room = r->max_entry;
		int rc = get_first(i, &f, &value, fault);

		if (rc > 0 && server_value(r, out, &value, class, k2, &room) == BLOB_OK)
			return 1;
		answered |= rc >= 0;
	}
	return answered ? 0 : -1;
}

int remote_get_list(struct remote *r, enum store_class class, const struct digest *k1,
                    struct entry out[REMOTE_CANDIDATES], unsigned *refused, struct fault *fault)
{
	struct backend_name name = server_name(class, k1);
	int answered = 0, n = 0;

	for (unsigned i = 0; i < r->servers && n == 0; i++) {
		uint64_t room = REMOTE_UNPACKED_MAX;
		struct backend_list list = {.count = 0};
		int64_t deadline;
		struct backend *b = server_use(r, i, 0, &deadline);
		enum backend_status s = b->ops->candidates(b, &name, 0, REMOTE_CANDIDATES, &list,
		                                           deadline, fault);

		server_done(r, i, s, fault);
		answered |= server_outcome(s) == BREAKER_SUCCESS;
		for (unsigned k = 0; s == BACKEND_OK && k < list.count; k++) {
			if (server_value(r, &out[n], &list.v[k], class, k1, &room) == BLOB_OK)
				n++;
			else
				++*refused;
		}
	}
	return answered ? n : -1;
}

int remote_ping(struct remote *r, struct fault *fault)
{
	int rc = -1;

	for (unsigned i = 0; i < r->servers && rc < 0; i++) {
		int64_t deadline;
		struct backend *b = server_use(r, i, 0, &deadline);

		if (server_done(r, i, b->ops->ping(b, deadline, fault), fault) == BACKEND_OK)
			rc = 0;
	}
	return rc;
}

int remote_answers(struct remote *r, struct fault *fault)
{
	struct question q;

	if (!r->on)
		return fault_set(fault, 0, "no remote store");
	question_begin(&q, r);
	for (unsigned i = 0; i < r->servers; i++) {
		struct backend *b = &r->server[i].backend;

		if (server_begin(r, i, &q, fault) < 0)
			continue;
		enum backend_status s = b->ops->ping(b, q.deadline, fault);
		server_end(r, i, &q, s, fault);
		if (s == BACKEND_OK)
			return 0;
	}
	return -1;
}
