/* remote/lease.c - leases: one node compiles, the others wait for its result.
 *
 * A lease is a key with a random token and an expiry: SET NX PX. Renewal and release compare the
 * token first, in a script, so that a node whose lease expired does not touch the next one's. If
 * the server refuses scripts (by ACL, or by renaming EVAL), GET and then the command are sent.
 * Between the two, a lease may expire and another may begin, which is then shortened or lengthened.
 * At worst a compile is done twice, or is waited for until the lease ends. */
#include <string.h>

#include "remote/remote.h"
#include "remote/server.h"
#include "remote/values.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "store/job/counters.h"

#include "shim/banned.h"

#define KIND_LEASE 'l'
#define LIMIT 256

static const char renew_script[] =
	"if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('pexpire',KEYS[1],ARGV[2]) "
        "else return 0 end";
static const char release_script[] =
	"if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 "
        "end";

static void put_ms(char out[16], unsigned ms)
{
	format_text(out, 16, "%u", ms);
}

int remote_lease_take(struct remote *r, const struct digest *k1, unsigned char token[SPOOL_TOKEN],
                      unsigned ms)
{
	struct fault fault;
	int64_t start, deadline;
	char key[REMOTE_KEY_MAX], manifest[REMOTE_KEY_MAX], time[16];
	struct wire *w;
	int got = -1;

	r->listed = 0;
	r->lease_left_ms = -1;
	memset(token, 0, SPOOL_TOKEN);
	/* A node that publishes nothing must not make others wait for it. */
	if (!remote_may_publish(r) || ms == 0 ||
	    SYS3(SYS_getrandom, token, SPOOL_TOKEN, 0) != SPOOL_TOKEN ||
	    remote_begin(r, &start, &deadline, &fault) < 0)
		goto out;
	put_ms(time, ms);
	const char *argv[] = {"SET", key, (const char *)token, "NX", "PX", time};
	size_t len[] = {3, remote_key(key, r, KIND_LEASE, k1), SPOOL_TOKEN, 2, 2, strlen(time)};
	/* LLEN after SET: a holder publishes before it releases the lease. */
	const char *count[] = {"LLEN", manifest};
	size_t count_len[] = {4, remote_key(manifest, r, remote_kind(STORE_MANIFEST), k1)};
	const char *left[] = {"PTTL", key};
	size_t left_len[] = {4, len[1]};
	struct cluster_command v[] = {{6, argv, len, LIMIT}, {2, count, count_len, LIMIT},
	                              {2, left, left_len, LIMIT}};
	enum wire_status s = remote_run(r, k1, v, 3, deadline, 1, &w, &fault);
	if (s == WIRE_OK && w->reply[0]->type == REDIS_REPLY_STATUS)
		got = 1;
	else if (s == WIRE_OK && w->reply[0]->type == REDIS_REPLY_NIL)
		got = 0;
	if (s == WIRE_OK && w->reply[1]->type == REDIS_REPLY_INTEGER)
		r->listed = w->reply[1]->integer;
	if (s == WIRE_OK && w->reply[2]->type == REDIS_REPLY_INTEGER)
		r->lease_left_ms = w->reply[2]->integer;
	if (s == WIRE_OK && wire_error(w->reply[0]) == WIRE_ERR_NOPERM)
		breaker_set_publishing_off(&r->server->breaker, 1);
	/* A server that is full or read-only still answers look-ups, so the breaker stays
	 * closed. */
	remote_end(r, start, s);
	wire_clear(w);
	if (got == 1)
		counters_add(r->server->store, COUNTER_LEASES_TAKEN, 1);
out:
	if (got != 1)
		memset(token, 0, SPOOL_TOKEN);
	return got;
}

/* 1, 0, or -1; -2: the server refuses scripts. */
static int run_script(struct remote *r, const struct digest *k1, const char *script,
                      const unsigned char token[SPOOL_TOKEN], const char *time)
{
	char key[REMOTE_KEY_MAX];
	const char *argv[] = {"EVAL", script, "1", key, (const char *)token, time};
	size_t len[] = {4, strlen(script), 1, remote_key(key, r, KIND_LEASE, k1), SPOOL_TOKEN,
	                strlen(time)};
	struct cluster_command eval = {6, argv, len, LIMIT};
	int64_t deadline = sys_now_ns(CLOCK_MONOTONIC) + r->server->config.lookup_ns;
	struct fault fault;
	struct wire *w;
	int rc = -1;

	if (remote_run(r, k1, &eval, 1, deadline, 1, &w, &fault) != WIRE_OK)
		return -1;
	if (w->reply[0]->type == REDIS_REPLY_INTEGER)
		rc = w->reply[0]->integer == 1;
	else if (wire_error(w->reply[0]) == WIRE_ERR_NOPERM ||
	         wire_error(w->reply[0]) == WIRE_ERR_OTHER)
		rc = -2;
	wire_clear(w);
	return rc;
}

static int run_plain(struct remote *r, const struct digest *k1, const char *verb,
                     const unsigned char token[SPOOL_TOKEN], const char *time)
{
	char key[REMOTE_KEY_MAX];
	const char *get[] = {"GET", key}, *then[] = {verb, key, time};
	size_t n = remote_key(key, r, KIND_LEASE, k1), get_len[] = {3, n},
	       then_len[] = {strlen(verb), n, strlen(time)};
	struct cluster_command v[] = {{2, get, get_len, LIMIT},
	                              {*time ? 3 : 2, then, then_len, LIMIT}};
	int64_t deadline = sys_now_ns(CLOCK_MONOTONIC) + r->server->config.lookup_ns;
	struct fault fault;
	struct wire *w;
	int rc;

	if (remote_run(r, k1, v, 1, deadline, 0, &w, &fault) != WIRE_OK)
		return -1;
	rc = w->reply[0]->type == REDIS_REPLY_STRING && w->reply[0]->len == SPOOL_TOKEN &&
	     memcmp(w->reply[0]->str, token, SPOOL_TOKEN) == 0;
	wire_clear(w);
	if (rc == 0)
		return 0;
	if (remote_run(r, k1, v + 1, 1, deadline, 0, &w, &fault) != WIRE_OK)
		return -1;
	rc = w->reply[0]->type == REDIS_REPLY_INTEGER && w->reply[0]->integer == 1;
	wire_clear(w);
	return rc;
}

static int compare_and(struct remote *r, const struct digest *k1, const char *script,
                       const char *verb, const unsigned char token[SPOOL_TOKEN], const char *time)
{
	int rc = -2;

	if (!r->on || r->server->config.readonly)
		return -1;
	if (!r->server->no_eval)
		rc = run_script(r, k1, script, token, time);
	if (rc == -2) {
		r->server->no_eval = 1;
		rc = run_plain(r, k1, verb, token, time);
	}
	return rc;
}

int remote_lease_renew(struct remote *r, const struct digest *k1,
                       const unsigned char token[SPOOL_TOKEN], unsigned ms)
{
	char time[16];

	put_ms(time, ms);
	return compare_and(r, k1, renew_script, "PEXPIRE", token, time);
}

void remote_lease_release(struct remote *r, const struct digest *k1,
                          const unsigned char token[SPOOL_TOKEN])
{
	compare_and(r, k1, release_script, "DEL", token, "");
}

void remote_lease_wait_failed(struct remote *r)
{
	breaker_lease_wait_failed(&r->server->breaker);
}

int remote_lease_wait_is_off(const struct remote *r)
{
	return breaker_lease_wait_is_off(&r->server->breaker);
}
