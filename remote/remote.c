/* remote/remote.c - opens and closes the remote stores. */
#include "remote/remote.h"

#include <errno.h>
#include <string.h>

#include "remote/server.h"
#include "shim/log.h"
#include "shim/settings/job.h"

#include "shim/banned.h"

_Static_assert(REMOTE_BUDGET_UNITS + 2 <= BREAKER_CLASSES, "one for units and one for sets");

/* TLS, or HTTP, whose servers take longer. */
static int is_slow(const struct remote_place *place)
{
	return strcmp(place->scheme, "rediss") == 0 ||
	       (!place_is_redis(place) && strcmp(place->scheme, "file") != 0);
}

/* Opens all stores that can be opened. 0; -1 with *fault: the remote store is off. */
static int open_all(struct remote *r, const char *job, struct store *store, struct arena *a,
                    struct fault *fault)
{
	struct remote_config *c = &r->shared->config;
	struct remote_memory *memory = remote_memory_here(a);
	const char *address = "";

	r->server = arena_alloc(a, c->places * sizeof *r->server);
	if (!r->server || !memory)
		return fault_set(fault, ENOMEM, "no memory");
	for (unsigned i = 0; i < c->places; i++) {
		struct remote_server *s = &r->server[r->servers];

		*s = (struct remote_server){.place = &c->place[i], .store = store,
		                            .absent = &memory->of[i].absent};
		breaker_init(&s->breaker, &memory->of[i].breaker, store, job);
		s->breaker.is_slow = is_slow(s->place);
		c->place[i].node_dir = store->node_dir;
		if (backend_open(&s->backend, &c->place[i], a, fault) < 0) {
			if (c->places > 1)
				log_once("remote-off", "%s is not used: %s", c->place[i].shown,
				         fault->text);
			continue;
		}
		r->servers++;
		if (address)
			address = arena_cat(a, address, *address ? " " : "", s->place->shown, NULL);
	}
	r->shared->address = address ? address : "";
	return r->servers ? 0 : -1;
}

int remote_open(struct remote *r, const struct settings *set, char *const envp[], const char *job,
                struct store *s, struct arena *a, struct fault *fault)
{
	struct remote_shared *shared;
	struct remote_config config;
	struct rank rank;

	memset(r, 0, sizeof *r);
	r->arena = a;
	if (remote_config_load(&config, set, envp, a, fault) < 0)
		return -1;
	if (!config.places)
		return 0;
	if (places_conflict(set))
		log_once("remote-both", "REPRISE_REMOTE_URL is used, and not the server of "
		                        "REPRISE_REDIS_*");
	shared = r->shared = arena_alloc(a, sizeof *shared);
	if (!shared)
		return fault_set(fault, ENOMEM, "no memory");
	shared->config = config;
	if (trust_load(&shared->trust, set, a, fault) < 0 || open_all(r, job, s, a, fault) < 0)
		return -1;
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
	server_forget_fills(r);
	for (unsigned i = 0; i < r->servers; i++)
		r->server[i].backend.ops->close(&r->server[i].backend);
	trust_wipe(&r->shared->trust);
	r->on = 0;
}

int remote_reload_keys(struct remote *r, struct fault *fault)
{
	if (!r->on || !trust_changed(&r->shared->trust) ||
	    trust_load(&r->shared->trust, r->shared->trust.set, r->arena, fault) == 0)
		return 0;
	remote_close(r);
	return -1;
}

void remote_charge(struct remote *r, uint64_t job, unsigned budget)
{
	for (unsigned i = 0; i < r->servers; i++)
		r->server[i].breaker.job = job;
	r->budget = budget;
}

int remote_failed(const struct remote *r)
{
	for (unsigned i = 0; i < r->servers; i++)
		if (r->server[i].breaker.failed)
			return 1;
	return 0;
}

void remote_limit_stall(struct remote *r, int64_t ns)
{
	for (unsigned i = 0; r->on && i < r->servers; i++)
		r->server[i].backend.stall_ns = ns;
}

const char *remote_address(const struct remote *r)
{
	return r->shared->address;
}

const char *remote_server_address(const struct remote *r, unsigned i)
{
	return r->server[i].place->shown;
}

unsigned remote_server_place(const struct remote *r, unsigned i)
{
	return (unsigned)(r->server[i].place - r->shared->config.place);
}

uint64_t remote_received(const struct remote *r)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < r->servers; i++)
		sum += r->server[i].backend.bytes_in;
	return sum - r->shared->unread;
}

int remote_allows(const struct remote *r, enum store_class class)
{
	int of_job = class == STORE_JOB_NODE || class == STORE_JOB_USED;

	return r->on && (of_job || r->shared->config.classes >> class & 1);
}
