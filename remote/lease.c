/* remote/lease.c - leases: one node compiles, the others wait for its result. */
#include <string.h>

#include "remote/remote.h"
#include "remote/server.h"
#include "shim/kernel/sys.h"
#include "store/job/counters.h"

#include "shim/banned.h"

static struct backend_name lease_name(const struct digest *k1)
{
	return (struct backend_name){'l', *k1};
}

int remote_lease_take(struct remote *r, const struct digest *k1, unsigned char token[SPOOL_TOKEN],
                      unsigned ms)
{
	struct backend_name lease = lease_name(k1), manifest = server_name(STORE_MANIFEST, k1);
	unsigned i = server_of_leases(r);
	struct fault fault = {0, ""};
	enum backend_status s;
	struct question q;
	int got = -1;

	r->listed = 0;
	r->lease_left_ms = -1;
	memset(token, 0, SPOOL_TOKEN);
	/* A node that publishes nothing must not make others wait for it. */
	if (!remote_may_publish(r) || ms == 0 || i == r->servers ||
	    breaker_publishing_is_off(&r->server[i].breaker) ||
	    SYS3(SYS_getrandom, token, SPOOL_TOKEN, 0) != SPOOL_TOKEN)
		goto out;
	question_begin(&q, r);
	if (server_begin(r, i, &q, &fault) < 0)
		goto out;
	struct backend *b = &r->server[i].backend;
	s = b->ops->lease_take(b, &lease, &manifest, token, ms, &got, &r->listed,
	                       &r->lease_left_ms, q.deadline, &fault);
	/* A server that is full, read-only or refuses this call still answers look-ups, so the
	 * breaker stays closed. */
	if (s == BACKEND_DENIED && fault.code == EPERM) {
		breaker_set_publishing_off(&r->server[i].breaker);
		s = BACKEND_OK;
		got = -1;
	}
	server_end(r, i, &q, s, &fault);
	if (s != BACKEND_OK)
		got = -1;
	if (got == 1)
		counters_add(r->server->store, COUNTER_LEASES_TAKEN, 1);
out:
	if (got != 1)
		memset(token, 0, SPOOL_TOKEN);
	return got;
}

/* The store of leases and the deadline of a call that asks no breaker; NULL: there is none. */
static struct backend *use(struct remote *r, unsigned *i, int64_t *deadline)
{
	*i = server_of_leases(r);
	if (!r->on || *i == r->servers)
		return NULL;
	server_use(r, *i, 0, deadline);
	*deadline = sys_now_ns(CLOCK_MONOTONIC) + r->server[*i].place->timeout_ns;
	if (r->until && r->until < *deadline)
		*deadline = r->until;
	return &r->server[*i].backend;
}

int remote_lease_renew(struct remote *r, const struct digest *k1,
                       const unsigned char token[SPOOL_TOKEN], unsigned ms)
{
	struct backend_name lease = lease_name(k1);
	struct fault none = {0, ""};
	int64_t deadline;
	unsigned i;
	struct backend *b = use(r, &i, &deadline);
	int rc = b ? b->ops->lease_renew(b, &lease, token, ms, deadline) : -1;

	if (b)
		server_done(r, i, BACKEND_OK, &none);
	return rc;
}

void remote_lease_release(struct remote *r, const struct digest *k1,
                          const unsigned char token[SPOOL_TOKEN])
{
	struct backend_name lease = lease_name(k1);
	struct fault none = {0, ""};
	int64_t deadline;
	unsigned i;
	struct backend *b = use(r, &i, &deadline);

	if (!b)
		return;
	b->ops->lease_release(b, &lease, token, deadline);
	server_done(r, i, BACKEND_OK, &none);
}

void remote_lease_wait_failed(struct remote *r)
{
	unsigned i = server_of_leases(r);

	if (i < r->servers)
		breaker_lease_wait_failed(&r->server[i].breaker);
}

int remote_lease_wait_is_off(const struct remote *r)
{
	unsigned i = server_of_leases(r);

	return i == r->servers || breaker_lease_wait_is_off(&r->server[i].breaker);
}
