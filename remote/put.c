/* remote/put.c - puts: the publisher writes to the remote store. */
#include <string.h>

#include "remote/remote.h"
#include "remote/server.h"
#include "remote/values.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/job/events.h"

#include "shim/banned.h"

static int signs_enough(const struct remote *r)
{
	return r->server->trust.count == 0 || r->server->trust.signing;
}

int remote_may_publish(const struct remote *r)
{
	return r->on && !r->server->config.readonly && r->server->config.classes &&
	       signs_enough(r) && !breaker_publishing_is_off(&r->server->breaker);
}

/* s; 0: endless. What a job did is of no use for longer than the node itself keeps it. */
static unsigned ttl_of(const struct remote *r, enum store_class class)
{
	unsigned ttl = r->server->config.ttl_s;

	return class == STORE_JOB_NODE && (!ttl || ttl > EVENTS_KEEP_S) ? EVENTS_KEEP_S : ttl;
}

/* Checks before a put. 0, or 1 with *fault: it can never be put. */
static int may_put(const struct remote *r, enum store_class class, size_t n, struct fault *fault)
{
	if (!r->on || r->server->config.readonly)
		fault_set(fault, EROFS, r->on ? "nothing is published from here"
		                              : "no remote store");
	else if (!remote_allows(r, class))
		fault_set(fault, EPERM, "REPRISE_REMOTE_CLASSES leaves out this class");
	/* others would refuse the entry, and it would replace one that they accept */
	else if (!signs_enough(r))
		fault_set(fault, EPERM, "REPRISE_TRUST is set, and REPRISE_SIGN_KEY is not");
	else if (n > r->max_entry)
		fault_set(fault, EFBIG, "%lu bytes are too large", (unsigned long)n);
	else
		return 0;
	return 1;
}

/* Meaning of a put's replies, or of their absence: 0, 1 or -1. */
static int put_verdict(struct remote *r, enum wire_status s, const struct wire *w,
                       struct fault *fault)
{
	if (s == WIRE_OK) {
		breaker_note_answer(&r->server->breaker);
		return 0;
	}
	for (unsigned i = 0; (s == WIRE_SERVER || s == WIRE_DENIED) && i < w->replies; i++) {
		const redisReply *reply = w->reply[i];

		switch (wire_error(reply)) {
		case WIRE_NO_ERROR:
			continue;
		case WIRE_ERR_NOPERM:
			breaker_set_publishing_off(&r->server->breaker, 1);
			log_once("remote-noperm",
			         "the remote store does not let this user write: nothing is "
			         "published");
			fault->code = EACCES;
			return -1;
		case WIRE_ERR_WRONGTYPE: /* the key belongs to another program */
			return 1;
		/* ERR: the command itself is wrong; any other error is a state that may end */
		case WIRE_ERR_OTHER:
			return strncmp(reply->str, "ERR ", 4) == 0 ? 1 : -1;
		default:
			log_once("remote-server", "publishing waits: %s", fault->text);
			return -1;
		}
	}
	return -1;
}

/* Runs the commands of a put; all replies must be good. */
static int run_put(struct remote *r, const struct digest *key, const struct cluster_command *v,
                   unsigned count, int64_t deadline, struct fault *fault)
{
	struct wire *w;
	enum wire_status s = remote_run(r, key, v, count, deadline, 0, &w, fault);
	int rc = put_verdict(r, s, w, fault);

	wire_clear(w);
	return rc;
}

/* True if one of the list's candidates has that result. 1, 0, -1: no answer. */
static int is_listed(struct remote *r, enum store_class class, const struct digest *k1,
                     const unsigned char *result, struct fault *fault)
{
	int64_t deadline = sys_now_ns(CLOCK_MONOTONIC) + r->server->config.transfer_ns;
	struct wire *w;
	uint64_t room = REMOTE_UNPACKED_MAX;
	struct entry e;
	int found = 0;
	enum wire_status s = remote_list(r, class, k1, 0, REMOTE_CANDIDATES, deadline, &w, fault);

	if (s != WIRE_OK) {
		int rc = put_verdict(r, s, w, fault);
		wire_clear(w);
		return rc < 0 ? -1 : 0;
	}
	/* LPUSH gets the WRONGTYPE error as well. */
	for (size_t i = 0; i < w->reply[0]->elements && !found; i++) {
		if (remote_value(r, &e, w->reply[0]->element[i], class, k1, &room) != BLOB_OK)
			continue;
		found = e.len >= DIGEST_SIZE && memcmp(e.payload, result, DIGEST_SIZE) == 0;
	}
	wire_clear(w);
	return found;
}

/* The event of a put that was made or failed. rc: as a put's. Returns rc. */
static int note(const struct transfer *t, struct remote *r, int rc, enum store_class class,
                const struct digest *key, const struct fault *fault)
{
	if (rc <= 0)
		transfer_end(t, r, rc == 0 ? EVENT_STORED : EVENT_ERROR, class, key,
		             rc == 0 ? NULL : fault->text);
	return rc;
}

static int put_candidate(struct remote *r, enum store_class class, const struct digest *k1,
                         const void *payload, size_t n, struct fault *fault)
{
	char key[REMOTE_KEY_MAX], ttl[REMOTE_DIGITS], last[REMOTE_DIGITS];
	unsigned char head[BLOB_HEAD], *value;
	const unsigned char *stored;
	size_t stored_len;

	if (may_put(r, class, n, fault))
		return 1;
	if (n < DIGEST_SIZE) {
		fault_set(fault, EINVAL, "a candidate of %lu bytes", (unsigned long)n);
		return 1;
	}
	int listed = is_listed(r, class, k1, payload, fault);
	if (listed < 0)
		return -1;
	if (blob_make(head, &stored, &stored_len, class, k1, payload, n, &r->server->trust,
	              r->arena, fault) < 0)
		return 1;
	value = arena_alloc(r->arena, BLOB_HEAD + stored_len);
	if (!value || stored_len > REMOTE_CANDIDATE_MAX || n > REMOTE_UNPACKED_MAX / 2) {
		fault_set(fault, EFBIG, "a candidate of %lu bytes is too large",
		          (unsigned long)stored_len);
		return 1;
	}
	memcpy(value, head, BLOB_HEAD);
	memcpy(value + BLOB_HEAD, stored, stored_len);
	size_t k = remote_key(key, r, remote_kind(class), k1);
	remote_number(ttl, ttl_of(r, class));
	remote_number(last, REMOTE_CANDIDATES - 1);
	const char *push[] = {"LPUSH", key, (const char *)value},
	           *trim[] = {"LTRIM", key, "0", last},
	           *expire[] = {"EXPIRE", key, ttl};
	size_t push_len[] = {5, k, BLOB_HEAD + stored_len}, trim_len[] = {5, k, 1, strlen(last)},
	       expire_len[] = {6, k, strlen(ttl)};
	/* Without MULTI: between two commands a list may be one too long, or without expiry, which
	 * does no harm. If the connection is cut, the next candidate repeats the commands. */
	struct cluster_command v[] = {{3, push, push_len, 0}, {4, trim, trim_len, 64},
	                              {3, expire, expire_len, 0}};
	unsigned count = ttl_of(r, class) ? 3 : 2, skip = listed ? 2 : 0;

	if (skip >= count)
		return 0;
	int64_t deadline = remote_transfer_deadline(r, sys_now_ns(CLOCK_MONOTONIC), stored_len);
	int rc = run_put(r, k1, v + skip, count - skip, deadline, fault);
	if (rc == 0)
		negative_cache_forget(&r->server->absent, k1);
	return rc;
}

int remote_put_candidate(struct remote *r, enum store_class class, const struct digest *k1,
                         const void *payload, size_t n, struct fault *fault)
{
	struct transfer t;

	transfer_begin(&t, r);
	return note(&t, r, put_candidate(r, class, k1, payload, n, fault), class, k1, fault);
}

/* Puts values first .. first + n of a blob; value 0 is head and first part. */
static int put_window(struct remote *r, unsigned ttl_s, const struct digest *k2, const char *key,
                      const struct blob_head *h, unsigned first, unsigned n,
                      const unsigned char *stored, int64_t deadline, struct fault *fault)
{
	char keys[REMOTE_WINDOW][REMOTE_KEY_MAX], ttl[REMOTE_DIGITS];
	const char *argv[REMOTE_WINDOW][5];
	size_t len[REMOTE_WINDOW][5];
	struct cluster_command v[REMOTE_WINDOW];

	remote_number(ttl, ttl_s);
	for (unsigned i = 0; i < n; i++) {
		const char *words[] = {"SET", keys[i],
		                       (const char *)stored + (size_t)(first + i) * BLOB_PART, "EX",
		                       ttl};
		size_t lengths[] = {3, remote_part_key(keys[i], key, h, first + i),
		                    blob_part_len(h, first + i), 2, strlen(ttl)};

		memcpy(argv[i], words, sizeof words);
		memcpy(len[i], lengths, sizeof lengths);
		v[i] = (struct cluster_command){ttl_s ? 5 : 3, argv[i], len[i],
		                                64};
	}
	return run_put(r, k2, v, n, deadline, fault);
}

static int put_result(struct remote *r, enum store_class class, const struct digest *k2,
                      const void *payload, size_t n, struct fault *fault)
{
	char key[REMOTE_KEY_MAX], ttl[REMOTE_DIGITS];
	unsigned char head[BLOB_HEAD], *value;
	const unsigned char *stored;
	struct blob_head h;
	size_t len;
	int rc = 0;

	if (may_put(r, class, n, fault))
		return 1;
	if (blob_make(head, &stored, &len, class, k2, payload, n, &r->server->trust, r->arena,
	              fault) < 0)
		return 1;
	size_t first = len < BLOB_PART ? len : BLOB_PART,
	       k = remote_key(key, r, remote_kind(class), k2);
	value = arena_alloc(r->arena, BLOB_HEAD + first);
	if (!value) {
		fault_set(fault, ENOMEM, "no memory for %lu bytes", (unsigned long)len);
		return 1;
	}
	memcpy(value, head, BLOB_HEAD);
	memcpy(value + BLOB_HEAD, stored, first);
	enum blob_status st = blob_head_read(&h, value, BLOB_HEAD + first, class, k2,
	                                     r->max_entry, NULL);
	if (st != BLOB_OK) {
		fault_set(fault, EFBIG, "a result of %lu bytes is %s", (unsigned long)n,
		          blob_status_text(st));
		return 1;
	}
	int64_t deadline = remote_transfer_deadline(r, sys_now_ns(CLOCK_MONOTONIC), len);
	/* The head is written last: a reader that finds it also finds the parts. */
	for (unsigned i = 1; i < h.parts && rc == 0; i += REMOTE_WINDOW)
		rc = put_window(r, ttl_of(r, class), k2, key, &h, i,
		                h.parts - i < REMOTE_WINDOW ? h.parts - i : REMOTE_WINDOW, stored,
		                deadline, fault);
	if (rc)
		return rc;
	remote_number(ttl, ttl_of(r, class));
	const char *argv[] = {"SET", key, (const char *)value, "EX", ttl};
	size_t lens[] = {3, k, BLOB_HEAD + first, 2, strlen(ttl)};
	struct cluster_command set = {ttl_of(r, class) ? 5 : 3, argv, lens, 64};
	rc = run_put(r, k2, &set, 1, deadline, fault);
	if (rc == 0)
		negative_cache_forget(&r->server->absent, k2);
	return rc;
}

int remote_put_result(struct remote *r, enum store_class class, const struct digest *k2,
                      const void *payload, size_t n, struct fault *fault)
{
	struct transfer t;

	transfer_begin(&t, r);
	return note(&t, r, put_result(r, class, k2, payload, n, fault), class, k2, fault);
}

int remote_remove(struct remote *r, enum store_class class, const struct digest *key,
                  struct fault *fault)
{
	int64_t deadline = sys_now_ns(CLOCK_MONOTONIC) + r->server->config.transfer_ns;
	char name[REMOTE_KEY_MAX];
	const char *argv[] = {"DEL", name};
	size_t len[] = {3, remote_key(name, r, remote_kind(class), key)};
	struct cluster_command del = {2, argv, len, 64};

	if (r->server->config.readonly) {
		fault_set(fault, EROFS, "nothing is changed from here");
		return 1;
	}
	return run_put(r, key, &del, 1, deadline, fault);
}
