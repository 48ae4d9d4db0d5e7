/* remote/remote.c - opens and closes the remote store. */
#include "remote/remote.h"

#include <errno.h>
#include <string.h>

#include "remote/server.h"
#include "remote/values.h"
#include "shim/settings/job.h"
#include "store/job/event_record.h"

#include "shim/banned.h"

_Static_assert(REMOTE_BUDGET_UNITS + 2 <= BREAKER_CLASSES, "one for units and one for sets");

/* Fills the server's parts. 0; -1 with *fault: the remote store is off. */
static int open_server(struct remote_server *s, const struct settings *set, const char *job,
                       struct store *store, struct arena *a, struct fault *fault)
{
	const char *text;
	struct digest where;

	s->address = remote_config_print(&s->config, a);
	text = s->address ? arena_cat(a, s->address, " ", s->config.prefix, NULL) : NULL;
	if (trust_load(&s->trust, set, a, fault) < 0)
		return -1;
	s->store = store;
	s->config.runtime_dir = store->node_dir;
	if (!text || strlen(s->config.prefix) > REMOTE_KEY_MAX - 160 ||
	    cluster_init(&s->cluster, &s->config, store->runtime_dir) < 0) {
		fault_set(fault, ENOMEM, text ? "the prefix of keys is too long" : "no memory");
		return -1;
	}
	digest_name(&where, text, strlen(text));
	breaker_init(&s->breaker, store, &where, job);
	negative_cache_init(&s->absent, store, &where, a);
	return 0;
}

int remote_open(struct remote *r, const struct settings *set, char *const envp[], const char *job,
                struct store *s, struct arena *a, struct fault *fault)
{
	struct remote_config config;
	struct remote_server *server;
	struct rank rank;

	memset(r, 0, sizeof *r);
	r->arena = a;
	if (remote_config_load(&config, set, envp, a, fault) < 0)
		return -1;
	if (config.scheme == REMOTE_NONE)
		return 0;
	server = arena_alloc(a, sizeof *server);
	if (!server) {
		fault_set(fault, ENOMEM, "no memory");
		return -1;
	}
	memset(server, 0, sizeof *server);
	server->config = config;
	if (open_server(server, set, job, s, a, fault) < 0)
		return -1;
	r->server = server;
	r->units = config.units;
	r->max_entry = config.max_entry;
	rank_read(&rank, envp);
	r->rank = rank.known > 0 ? (int)rank.rank : EVENT_NO_RANK;
	r->job = setting_number(set, SETTING_EVENTS) ? job : NULL;
	r->on = 1;
	return 0;
}

void remote_close(struct remote *r)
{
	if (!r->on)
		return;
	cluster_free(&r->server->cluster);
	breaker_close(&r->server->breaker);
	trust_wipe(&r->server->trust);
	r->on = 0;
}

int remote_reload_keys(struct remote *r, struct fault *fault)
{
	if (!r->on || !trust_changed(&r->server->trust) ||
	    trust_load(&r->server->trust, r->server->trust.set, r->arena, fault) == 0)
		return 0;
	remote_close(r);
	return -1;
}

void remote_charge(struct remote *r, uint64_t job, unsigned budget)
{
	r->server->breaker.job = job;
	r->budget = budget;
}

int remote_failed(const struct remote *r)
{
	return r->server->breaker.failed;
}

void remote_limit_stall(struct remote *r, int64_t ns)
{
	if (r->on)
		r->server->config.stall_ns = ns;
}

const char *remote_address(const struct remote *r)
{
	return r->server->address;
}

int remote_allows(const struct remote *r, enum store_class class)
{
	return r->on && (class == STORE_JOB_NODE || r->server->config.classes >> class & 1);
}
