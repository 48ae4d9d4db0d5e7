/* Nodes, each with a store of its own, before one Redis. */
#pragma once

#include "redis_fixture.h"

#include "remote/redis/redis.h"
#include "remote/server.h"
#include "store/entry/blob.h"

static struct remote remotes[4];
static struct store stores[4];

static inline void remote_fixture_stop(void)
{
	for (int i = 0; i < 4; i++)
		remote_close(&remotes[i]);
	redis_fixture_stop();
}

/* Node i: a store, a runtime directory and the memory of an agent of its own. more: NULL-terminated
 * settings. */
static inline struct remote *node_with(int i, const char *const *more)
{
	static struct remote_memory *memory[4];
	static char text[4][16][300];
	struct settings set;
	char *env[16];
	int n = 0;

	snprintf(text[i][n++], 300, "REPRISE_CACHE_DIR=%s/cache%d", root, i);
	snprintf(text[i][n++], 300, "REPRISE_RUNTIME_DIR=%s/run%d", root, i);
	for (; more && *more; more++) /* first: the first one of a name counts */
		snprintf(text[i][n++], 300, "%s", *more);
	snprintf(text[i][n++], 300, "REPRISE_REDIS_URL=redis+unix://%s", redis_socket());
	for (int k = 0; k < n; k++)
		env[k] = text[i][k];
	env[n] = NULL;
	settings_defaults(&set);
	settings_merge_env(&set, env, &arena);
	cr_assert_eq(store_open(&stores[i], &set, env, &arena, &fault), 0);
	fault = (struct fault){0, ""};
	remote_close(&remotes[i]);
	if (!memory[i])
		memory[i] = remote_memory_make();
	remote_memory_use(memory[i]);
	remote_open(&remotes[i], &set, env, "job", &stores[i], &arena, &fault);
	return &remotes[i];
}

static inline struct remote *node(int i)
{
	return node_with(i, NULL);
}

static inline int64_t node_counted(int i, enum counter c)
{
	int64_t v[COUNTERS_ALL];

	cr_assert_eq(counters_read(&stores[i], v, &fault), 0);
	return v[c];
}

/* Bytes that do not compress. */
static inline unsigned char *noise(size_t n)
{
	unsigned char *p = malloc(n);
	uint64_t v = 88172645463325252ull;

	for (size_t i = 0; i < n; i++) {
		v ^= v << 13;
		v ^= v >> 7;
		v ^= v << 17;
		p[i] = (unsigned char)v;
	}
	return p;
}

/* A candidate as far as the remote cares: its result, then anything. */
static inline size_t candidate(unsigned char *out, const char *result, size_t n)
{
	struct digest k2 = key_of(result);

	memcpy(out, k2.b, DIGEST_SIZE);
	for (size_t i = DIGEST_SIZE; i < n; i++)
		out[i] = (unsigned char)(i * 7);
	return n;
}

static inline enum remote_status look(struct remote *r, const char *name, unsigned *count)
{
	struct entry e[REMOTE_CANDIDATES];
	struct digest k1 = key_of(name);
	int more;

	return remote_candidates(r, STORE_MANIFEST, &k1, 0, e, REMOTE_FIRST, count, &more, &fault);
}
