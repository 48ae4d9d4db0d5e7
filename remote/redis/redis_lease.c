/* remote/redis/redis_lease.c - a lease is a key with a random token and an expiry: SET NX PX.
 *
 * Renewal and release compare the token first, in a script, so that a node whose lease expired does
 * not touch the next one's. If the server refuses scripts (by ACL, or by renaming EVAL), GET and
 * then the command are sent. Between the two, a lease may expire and another may begin, which is
 * then shortened or lengthened. At worst a compile is done twice, or is waited for until the lease
 * ends. */
#include <string.h>

#include "remote/redis/redis.h"

#include "shim/banned.h"

static const char renew_script[] =
	"if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('pexpire',KEYS[1],ARGV[2]) "
        "else return 0 end";
static const char release_script[] =
	"if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 "
        "end";

enum backend_status redis_lease_take(struct backend *b, const struct backend_name *lease,
                                     const struct backend_name *manifest,
                                     const unsigned char token[SPOOL_TOKEN], unsigned ms, int *got,
                                     int64_t *listed, int64_t *left_ms, int64_t deadline,
                                     struct fault *fault)
{
	char key[REDIS_KEY_MAX], list[REDIS_KEY_MAX], time[REDIS_DIGITS];
	struct wire *w;

	redis_number(time, ms);
	const char *argv[] = {"SET", key, (const char *)token, "NX", "PX", time};
	size_t len[] = {3, redis_key(key, b, lease), SPOOL_TOKEN, 2, 2, strlen(time)};
	/* LLEN after SET: a holder publishes before it releases the lease. */
	const char *count[] = {"LLEN", list};
	size_t count_len[] = {4, redis_key(list, b, manifest)};
	const char *left[] = {"PTTL", key};
	size_t left_len[] = {4, len[1]};
	struct cluster_command v[] = {{6, argv, len, REDIS_LIMIT},
	                              {2, count, count_len, REDIS_LIMIT},
	                              {2, left, left_len, REDIS_LIMIT}};
	enum backend_status s = redis_run(b, &lease->key, v, 3, deadline, &w, fault);

	*got = -1;
	if (s != BACKEND_OK)
		return s;
	if (w->reply[0]->type == REDIS_REPLY_STATUS)
		*got = 1;
	else if (w->reply[0]->type == REDIS_REPLY_NIL)
		*got = 0;
	if (w->reply[1]->type == REDIS_REPLY_INTEGER)
		*listed = w->reply[1]->integer;
	if (w->reply[2]->type == REDIS_REPLY_INTEGER)
		*left_ms = w->reply[2]->integer;
	if (wire_error(w->reply[0]) == WIRE_ERR_NOPERM)
		s = redis_judge(w, fault);
	wire_clear(w);
	return s;
}

/* 1, 0, or -1; -2: the server refuses scripts. */
static int run_script(struct backend *b, const struct backend_name *lease, const char *script,
                      const unsigned char token[SPOOL_TOKEN], const char *time, int64_t deadline)
{
	char key[REDIS_KEY_MAX];
	const char *argv[] = {"EVAL", script, "1", key, (const char *)token, time};
	size_t len[] = {4, strlen(script), 1, redis_key(key, b, lease), SPOOL_TOKEN, strlen(time)};
	struct cluster_command eval = {6, argv, len, REDIS_LIMIT};
	struct fault fault;
	struct wire *w;
	int rc = -1;

	if (redis_run(b, &lease->key, &eval, 1, deadline, &w, &fault) != BACKEND_OK)
		return -1;
	if (w->reply[0]->type == REDIS_REPLY_INTEGER)
		rc = w->reply[0]->integer == 1;
	else if (wire_error(w->reply[0]) == WIRE_ERR_NOPERM ||
	         wire_error(w->reply[0]) == WIRE_ERR_OTHER)
		rc = -2;
	wire_clear(w);
	return rc;
}

static int run_plain(struct backend *b, const struct backend_name *lease, const char *verb,
                     const unsigned char token[SPOOL_TOKEN], const char *time, int64_t deadline)
{
	char key[REDIS_KEY_MAX];
	const char *get[] = {"GET", key}, *then[] = {verb, key, time};
	size_t n = redis_key(key, b, lease), get_len[] = {3, n},
	       then_len[] = {strlen(verb), n, strlen(time)};
	struct cluster_command v[] = {{2, get, get_len, REDIS_LIMIT},
	                              {*time ? 3 : 2, then, then_len, REDIS_LIMIT}};
	struct fault fault;
	struct wire *w;
	int rc;

	if (redis_run(b, &lease->key, v, 1, deadline, &w, &fault) != BACKEND_OK)
		return -1;
	rc = redis_judge(w, &fault) != BACKEND_OK ? -1
	     : w->reply[0]->type == REDIS_REPLY_STRING && w->reply[0]->len == SPOOL_TOKEN &&
	       memcmp(w->reply[0]->str, token, SPOOL_TOKEN) == 0;
	wire_clear(w);
	if (rc <= 0)
		return rc;
	if (redis_run(b, &lease->key, v + 1, 1, deadline, &w, &fault) != BACKEND_OK)
		return -1;
	rc = redis_judge(w, &fault) != BACKEND_OK ? -1
	     : w->reply[0]->type == REDIS_REPLY_INTEGER && w->reply[0]->integer == 1;
	wire_clear(w);
	return rc;
}

static int compare_and(struct backend *b, const struct backend_name *lease, const char *script,
                       const char *verb, const unsigned char token[SPOOL_TOKEN], const char *time,
                       int64_t deadline)
{
	struct redis *r = redis_of(b);
	int rc = -2;

	if (!r->no_eval)
		rc = run_script(b, lease, script, token, time, deadline);
	if (rc == -2) {
		r->no_eval = 1;
		rc = run_plain(b, lease, verb, token, time, deadline);
	}
	return rc;
}

int redis_lease_renew(struct backend *b, const struct backend_name *lease,
                      const unsigned char token[SPOOL_TOKEN], unsigned ms, int64_t deadline)
{
	char time[REDIS_DIGITS];

	redis_number(time, ms);
	return compare_and(b, lease, renew_script, "PEXPIRE", token, time, deadline);
}

int redis_lease_release(struct backend *b, const struct backend_name *lease,
                        const unsigned char token[SPOOL_TOKEN], int64_t deadline)
{
	return compare_and(b, lease, release_script, "DEL", token, "", deadline);
}
