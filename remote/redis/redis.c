/* remote/redis/redis.c - the backend's table; opens and closes. */
#include "remote/redis/redis.h"

#include <errno.h>
#include <string.h>

#include "remote/remote_place.h"

#include "shim/banned.h"

static int redis_open(struct backend *b, const struct remote_place *place, struct arena *a,
                      struct fault *fault)
{
	struct redis *r = arena_alloc(a, sizeof *r);

	if (!r)
		return fault_set(fault, ENOMEM, "no memory");
	if (redis_config_load(&r->config, place, a, fault) < 0)
		return -1;
	r->prefix = place->prefix;
	cluster_init(&r->cluster, &r->config, place->node_dir);
	r->kept = a;
	b->state = r;
	return 0;
}

static enum backend_status redis_ping(struct backend *b, int64_t deadline, struct fault *fault)
{
	static const struct digest any;
	const struct cluster_command command = {1, (const char *[]){"PING"}, (size_t[]){4},
	                                        REDIS_LIMIT};
	struct wire *w;
	enum backend_status s = redis_run(b, &any, &command, 1, deadline, &w, fault);

	if (s != BACKEND_OK)
		return s;
	/* A user without PING may still be allowed to look up entries. */
	s = wire_error(w->reply[0]) == WIRE_ERR_NOPERM ? BACKEND_OK : redis_judge(w, fault);
	wire_clear(w);
	return s;
}

static void redis_close(struct backend *b)
{
	cluster_free(&redis_of(b)->cluster);
}

const struct backend_ops redis_ops = {
	.schemes = "redis rediss redis+unix",
	redis_open, /* its name is one that shim/banned.h refuses */
	.candidates = redis_candidates,
	.get = redis_get,
	.read = redis_read,
	.put = redis_put,
	.add_candidate = redis_add,
	.has = redis_has,
	.remove = redis_remove,
	.ping = redis_ping,
	.lease_take = redis_lease_take,
	.lease_renew = redis_lease_renew,
	.lease_release = redis_lease_release,
	.check = redis_check,
	.close = redis_close,
};
