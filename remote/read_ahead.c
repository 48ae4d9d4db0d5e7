/* remote/read_ahead.c - many reads in one call of a store, before their look-ups. */
#include "remote/read_ahead.h"

#include <string.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

/* Of an answer there are at most the bytes that came, their copy in libhiredis, and ours. */
#define COPIES 3

int remote_reads_ahead(const struct remote *r)
{
	return r->on && r->server[0].backend.ops->read != NULL;
}

unsigned remote_reads_most(const struct remote *r)
{
	uint64_t fit = r->memory / (COPIES * (BLOB_HEAD + BLOB_PART));

	return !r->memory || fit > REMOTE_READS ? REMOTE_READS : fit < 2 ? 2 : (unsigned)fit;
}

static uint64_t bytes_of(const struct backend_read *v)
{
	uint64_t n = v->bytes.len;

	for (unsigned i = 0; i < v->list.count; i++)
		n += v->list.v[i].len;
	return n;
}

/* Only whole objects are of use: the rest of a large one has a deadline of its own. */
static int is_useful(const struct backend_read *v)
{
	struct blob_head h;

	if (v->status != BACKEND_OK || v->max)
		return v->status == BACKEND_OK || v->status == BACKEND_ABSENT;
	return blob_parts(&h, v->bytes.data, v->bytes.len) == 0 && h.parts == 1;
}

static int is_there(const struct remote *r, unsigned servers, const struct backend_name *name)
{
	for (unsigned i = 0; i < servers; i++)
		for (unsigned k = 0; k < r->shared->reads[i]; k++) {
			const struct backend_read *v = &r->shared->read[i][k];

			if (v->status == BACKEND_OK && v->name.kind == name->kind &&
			    digest_equal(&v->name.key, &name->key))
				return 1;
		}
	return 0;
}

/* Asks server i, unless its breaker forbids it. */
static void ask(struct remote *r, unsigned i, struct question *q, struct backend_read *v,
                unsigned n, struct arena *a)
{
	struct backend *b = &r->server[i].backend;
	int64_t stall = b->stall_ns;
	struct fault fault;

	if (!n || !b->ops->read || server_begin(r, i, q, &fault) < 0)
		return;
	b->arena = a;
	/* A server that is silent is not waited for longer than in a look-up. */
	b->stall_ns = r->server[i].place->timeout_ns;
	enum backend_status s = b->ops->read(
		b, v, n, server_transfer_deadline(r, q->start, (uint64_t)n * BLOB_PART), &fault);
	b->stall_ns = stall;
	server_end(r, i, q, s, &fault);
	for (unsigned k = 0; k < n; k++)
		if (is_useful(&v[k]))
			r->shared->unread += bytes_of(&v[k]);
		else
			v[k].status = BACKEND_FAULT;
	r->shared->read[i] = v;
	r->shared->reads[i] = n;
}

static int is_wanted(const struct remote *r, unsigned i, const struct remote_read *want)
{
	struct backend_name name = server_name(want->class, &want->key);

	/* A slower store is asked for what the faster ones do not have. */
	return remote_allows(r, want->class) && !is_there(r, i, &name) &&
	       !absent_known(r->server[i].absent, &want->key);
}

void remote_read_ahead(struct remote *r, const struct remote_read want[], unsigned n,
                       struct arena *a)
{
	struct question q;

	remote_read_end(r);
	question_begin(&q, r);
	for (unsigned i = 0; i < r->servers; i++) {
		struct backend_read *v = arena_alloc(a, n * sizeof *v);
		unsigned count = 0;

		for (unsigned k = 0; v && k < n; k++)
			if (is_wanted(r, i, &want[k]))
				v[count++] = (struct backend_read){
					.name = server_name(want[k].class, &want[k].key),
					.max = want[k].max};
		ask(r, i, &q, v, count, a);
	}
}

void remote_read_end(struct remote *r)
{
	memset(r->shared->reads, 0, sizeof r->shared->reads);
	r->shared->unread = 0;
}

struct backend_read *read_ahead_take(struct remote *r, unsigned i, const struct backend_name *name,
                                     unsigned max)
{
	for (unsigned k = 0; k < r->shared->reads[i]; k++) {
		struct backend_read *v = &r->shared->read[i][k];

		if (v->status == BACKEND_FAULT || v->max != max || v->name.kind != name->kind ||
		    !digest_equal(&v->name.key, &name->key))
			continue;
		r->shared->unread -= bytes_of(v);
		r->shared->asked++;
		r->shared->last = i;
		v->name.kind = '\0'; /* once */
		return v;
	}
	return NULL;
}
