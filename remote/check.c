/* remote/check.c - what a look-up and a publisher can meet at a server, for `reprise doctor`. It
 * asks without the breaker and without the short deadline of a look-up. */
#include <string.h>

#include "remote/remote.h"
#include "remote/server.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "store/agent_start.h"

#include "shim/banned.h"

#define LOOK_UPS 3

static const char *remedy(enum backend_status s, const struct remote_place *place)
{
	/* Only a directory has no host here. */
	if (!*place->host)
		return s == BACKEND_DENIED
		       ? "check owner, group and mode of the directory: see remote.md"
		       : "check that the file system is mounted and answers: see remote.md";
	switch (s) {
	case BACKEND_TIMEOUT:
		return "check the address, and whether a firewall drops packets or the server "
		       "hangs";
	case BACKEND_REFUSED:
		return "check that the server runs and listens at this address";
	case BACKEND_DENIED:
		return "check the credentials: see remote.md";
	default:
		return "see the server's log, and remote.md";
	}
}

static uint64_t accept_none(void *ctx, const void *first, size_t n)
{
	return 0;
}

/* Asks for what no program has. 0, or the status of a failure. */
static enum backend_status look_up(struct backend *b, const struct digest *key, int64_t deadline,
                                   struct fault *fault)
{
	struct backend_limit limit = {.accept = accept_none, .most = BLOB_HEAD};
	struct backend_bytes out;
	struct backend_list list;
	enum backend_status s;

	s = b->ops->candidates(b, &(struct backend_name){'m', *key}, 0, 1, &list, deadline, fault);
	if (s == BACKEND_OK || s == BACKEND_ABSENT)
		s = b->ops->get(b, &(struct backend_name){'r', *key}, &limit, &out, deadline,
		                fault);
	return s == BACKEND_ABSENT ? BACKEND_OK : s;
}

/* Checks a store by the calls of its backend. */
static int check(struct backend *b, const struct remote_place *place, struct remote_check *c)
{
	static const unsigned char nothing[BLOB_HEAD];
	const struct backend_bytes value = {nothing, sizeof nothing};
	const struct source none = {NULL};
	struct backend_name name = {.kind = 'r'};
	int64_t salt = sys_now_ns(CLOCK_REALTIME), patience = REMOTE_PATIENCE_NS;
	enum backend_status s = BACKEND_OK;

	digest_name(&name.key, &salt, sizeof salt);
	for (int i = 0; i < LOOK_UPS && s == BACKEND_OK; i++) {
		int64_t start = sys_now_ns(CLOCK_MONOTONIC), took;

		s = look_up(b, &name.key, start + patience, &c->fault);
		took = sys_now_ns(CLOCK_MONOTONIC) - start;
		if (i == 0)
			c->connect_ns = took;
		else if (i == 1 || took < c->answer_ns)
			c->answer_ns = took;
	}
	if (s != BACKEND_OK) {
		c->remedy = remedy(s, place);
		return -1;
	}
	if (c->readonly)
		return 0;
	s = b->ops->put(b, &name, value, &none, 1, sys_now_ns(CLOCK_MONOTONIC) + patience,
	                &c->fault);
	if (s == BACKEND_OK)
		s = b->ops->remove(b, &name, sys_now_ns(CLOCK_MONOTONIC) + patience, &c->fault);
	if (s != BACKEND_OK) {
		format_text(c->publish, sizeof c->publish, "%s", c->fault.text);
		c->remedy = remedy(s, place);
	}
	return 0;
}

int remote_check(struct remote *r, unsigned i, struct remote_check *c)
{
	struct remote_server *s = &r->server[i];

	memset(c, 0, sizeof *c);
	c->limit_ns = s->place->timeout_ns;
	c->expires = r->shared->config.ttl_s != 0;
	c->readonly = s->place->readonly;
	s->backend.arena = r->arena;
	return s->backend.ops->check ? s->backend.ops->check(&s->backend, c)
	                             : check(&s->backend, s->place, c);
}
