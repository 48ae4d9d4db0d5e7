/* remote/backends.c - the table of backends. */
#include "remote/backends.h"

#include <errno.h>
#include <string.h>

#include "remote/dir/shared_dir.h"
#include "remote/http/net_backends.h"
#include "remote/redis/redis.h"
#include "remote/remote.h"
#include "remote/tls/session.h"

#include "shim/banned.h"

/* 1: a word of the list is the scheme. */
static int lists(const char *schemes, const char *scheme)
{
	size_t n = strlen(scheme);

	for (const char *at = schemes; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == n && memcmp(at, scheme, n) == 0)
			return 1;
		at += word;
	}
	return 0;
}

static const struct backend_ops *find(const char *scheme)
{
	static const struct backend_ops *const own[] = {&redis_ops,
	                                                  &shared_dir_ops};

	if (strcmp(scheme, "rediss") == 0 && !session_begin)
		return NULL;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (lists(own[i]->schemes, scheme))
			return own[i];
	for (const struct backend_ops *const *row = net_backends; row && *row; row++)
		if (lists((*row)->schemes, scheme))
			return *row;
	return NULL;
}

int backends_have(const char *scheme)
{
	return find(scheme) != NULL;
}

void backends_prepare(const struct remote_place *place, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(place[i].scheme, "rediss") == 0 && session_load)
			session_load();
		else if (!place_is_redis(&place[i]) && net_backends_load &&
		         strcmp(place[i].scheme, "file") != 0)
			net_backends_load();
}

int backend_open(struct backend *b, const struct remote_place *place, struct arena *a,
                 struct fault *fault)
{
	memset(b, 0, sizeof *b);
	b->ops = find(place->scheme);
	b->arena = a;
	if (!b->ops)
		return fault_set(fault, ENOTSUP,
		                 "%s:// needs reprise-agent-net, which is not installed here",
		                 place->scheme);
	return backend_begin(b, place, a, fault);
}

/* --- the settings, and the files that they name --- */

int remote_config_check(const struct settings *set, char *const envp[], struct arena *a,
                        struct fault *fault)
{
	struct remote_config c;
	struct backend b;
	const char *wrong;

	memset(&c, 0, sizeof c);
	wrong = remote_config_limits(&c, set);
	if (wrong)
		return fault_set(fault, EINVAL, "%s", wrong);
	if (places_load(c.place, set, envp, a, fault) < 0 ||
	    remote_config_load(&c, set, envp, a, fault) < 0)
		return -1;
	if (!places_are_named(set)) {
		c.place[0] = (struct remote_place){.scheme = "redis", .host = "host", .path = "",
		                                   .set = set, .envp = envp};
		c.places = 1;
	}
	for (unsigned i = 0; i < c.places; i++) {
		if (backend_open(&b, &c.place[i], a, fault) < 0)
			return -1;
		b.ops->close(&b);
	}
	return 0;
}
