/* remote/redis/redis_write.c - writes lists and objects, and splits an object into parts. */
#include <errno.h>
#include <string.h>

#include "remote/redis/redis.h"

#include "shim/banned.h"

/* Runs commands of which all replies must be good. */
static enum backend_status run(struct backend *b, const struct digest *key,
                               const struct cluster_command *v, unsigned count, int64_t deadline,
                               struct fault *fault)
{
	struct wire *w;
	enum backend_status s = redis_run(b, key, v, count, deadline, &w, fault);

	if (s != BACKEND_OK)
		return s;
	s = redis_judge(w, fault);
	/* ERR: the command itself is wrong; any other error is a state that may end. */
	for (unsigned i = 0; s == BACKEND_SERVER && i < count; i++)
		if (wire_error(w->reply[i]) == WIRE_ERR_OTHER &&
		    strncmp(w->reply[i]->str, "ERR ", 4) == 0)
			s = BACKEND_FOREIGN;
	wire_clear(w);
	return s;
}

enum backend_status redis_add(struct backend *b, const struct backend_name *name,
                              struct backend_bytes blob, int drop, unsigned ttl_s, int64_t deadline,
                              struct fault *fault)
{
	char key[REDIS_KEY_MAX], ttl[REDIS_DIGITS], last[REDIS_DIGITS];
	size_t k = redis_key(key, b, name);

	if (blob.len > REDIS_ELEMENT_MAX) {
		fault_set(fault, EFBIG, "a candidate of %lu bytes is too large",
		          (unsigned long)blob.len);
		return BACKEND_FOREIGN;
	}
	redis_number(ttl, ttl_s);
	redis_number(last, BACKEND_LIST - 1);
	const char *push[] = {"LPUSH", key, (const char *)blob.data},
	           *trim[] = {"LTRIM", key, "0", last},
	           *expire[] = {"EXPIRE", key, ttl};
	size_t push_len[] = {5, k, blob.len}, trim_len[] = {5, k, 1, strlen(last)},
	       expire_len[] = {6, k, strlen(ttl)};
	/* Without MULTI: between two commands a list may be one too long, or without expiry, which
	 * does no harm. If the connection is cut, the next candidate repeats the commands. */
	struct cluster_command v[] = {{3, push, push_len, 0}, {4, trim, trim_len, 64},
	                              {3, expire, expire_len, 0}};
	/* The element that is there stays, and the list lives longer. */
	unsigned count = ttl_s ? 3 : 2, skip = drop >= 0 ? 2 : 0;

	return skip >= count ? BACKEND_OK
	                     : run(b, &name->key, v + skip, count - skip, deadline, fault);
}

/* Puts values first .. first + n of a blob. stored: their bytes. */
static enum backend_status put_window(struct backend *b, unsigned ttl_s,
                                      const struct digest *digest, const char *key,
                                      const struct blob_head *h, unsigned first, unsigned n,
                                      const unsigned char *stored, int64_t deadline,
                                      struct fault *fault)
{
	char keys[REDIS_WINDOW][REDIS_KEY_MAX], ttl[REDIS_DIGITS];
	const char *argv[REDIS_WINDOW][5];
	size_t len[REDIS_WINDOW][5];
	struct cluster_command v[REDIS_WINDOW];

	redis_number(ttl, ttl_s);
	for (unsigned i = 0; i < n; i++) {
		const char *words[] = {"SET", keys[i],
		                       (const char *)stored + (size_t)i * BLOB_PART, "EX", ttl};
		size_t lengths[] = {3, redis_part_key(keys[i], key, h, first + i),
		                    blob_part_len(h, first + i), 2, strlen(ttl)};

		memcpy(argv[i], words, sizeof words);
		memcpy(len[i], lengths, sizeof lengths);
		v[i] = (struct cluster_command){ttl_s ? 5 : 3, argv[i], len[i], 64};
	}
	return run(b, digest, v, n, deadline, fault);
}

static enum backend_status unreadable(int error, struct fault *fault)
{
	fault_sys(fault, error, "read what is published", NULL);
	return BACKEND_FAULT;
}

/* Puts all values but the first, which is the head's. */
static enum backend_status put_parts(struct backend *b, unsigned ttl_s,
                                     const struct digest *digest, const char *key,
                                     const struct blob_head *h, const struct source *stored,
                                     int64_t deadline, struct fault *fault)
{
	void *room = stored->data || h->parts < 2
	             ? NULL : redis_window(b);
	enum backend_status s = BACKEND_OK;
	int error = ENOMEM;

	for (unsigned i = 1; i < h->parts && s == BACKEND_OK; i += REDIS_WINDOW) {
		unsigned n = h->parts - i < REDIS_WINDOW ? h->parts - i : REDIS_WINDOW;
		const void *p = stored->data || room
		                ? source_piece(stored, (uint64_t)i * BLOB_PART,
		                               (n - 1) * (size_t)BLOB_PART +
		                               blob_part_len(h, i + n - 1), room, &error)
		                : NULL;

		s = p ? put_window(b, ttl_s, digest, key, h, i, n, p, deadline, fault)
		      : unreadable(error, fault);
	}
	return s;
}

enum backend_status redis_put(struct backend *b, const struct backend_name *name,
                              struct backend_bytes head, const struct source *stored,
                              unsigned ttl_s, int64_t deadline, struct fault *fault)
{
	char key[REDIS_KEY_MAX], ttl[REDIS_DIGITS];
	size_t first = stored->len < BLOB_PART ? (size_t)stored->len : BLOB_PART,
	       k = redis_key(key, b, name);
	unsigned char *value = arena_alloc(b->arena, head.len + first);
	const unsigned char *start;
	enum backend_status s;
	struct blob_head h;
	int error;

	if (!value) {
		fault_set(fault, ENOMEM, "no memory for %lu bytes", (unsigned long)first);
		return BACKEND_FAULT;
	}
	memcpy(value, head.data, head.len);
	start = source_piece(stored, 0, first, value + head.len, &error);
	if (!start)
		return unreadable(error, fault);
	if (stored->data)
		memcpy(value + head.len, start, first);
	/* Other bytes than a blob's are one value. */
	if (blob_parts(&h, value, head.len + first) < 0)
		h.parts = 1;
	/* The head is written last: a reader that finds it also finds the parts. */
	s = put_parts(b, ttl_s, &name->key, key, &h, stored, deadline, fault);
	if (s != BACKEND_OK)
		return s;
	redis_number(ttl, ttl_s);
	const char *argv[] = {"SET", key, (const char *)value, "EX", ttl};
	size_t lens[] = {3, k, head.len + first, 2, strlen(ttl)};
	struct cluster_command set = {ttl_s ? 5 : 3, argv, lens, 64};
	return run(b, &name->key, &set, 1, deadline, fault);
}

enum backend_status redis_remove(struct backend *b, const struct backend_name *name,
                                 int64_t deadline, struct fault *fault)
{
	char key[REDIS_KEY_MAX];
	const char *argv[] = {"DEL", key};
	size_t len[] = {3, redis_key(key, b, name)};
	struct cluster_command del = {2, argv, len, 64};

	return run(b, &name->key, &del, 1, deadline, fault);
}

/* --- leases: a lease is a key with a random token and an expiry: SET NX PX.
 *
 * Renewal and release compare the token first, in a script, so that a node whose lease expired does
 * not touch the next one's. If the server refuses scripts (by ACL, or by renaming EVAL), GET and
 * then the command are sent. Between the two, a lease may expire and another may begin, which is
 * then shortened or lengthened. At worst a compile is done twice, or is waited for until the lease
 * ends. */

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
