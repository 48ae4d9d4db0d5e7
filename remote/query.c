/* remote/query.c - what the publisher asks before it sends, and whether the server answers at all.
 * The publisher has a connection of its own and delays no job, so it does not ask the breaker. */

#include "remote/remote.h"
#include "remote/server.h"
#include "remote/values.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

/* 1: *w has good replies. 0: one is an error: a put will get it as well, or this user may not ask.
 * -1 with *fault: no answer. */
static int ask(struct remote *r, const struct digest *k2, const struct cluster_command *v,
               unsigned count, uint64_t bytes, struct wire **w, struct fault *fault)
{
	int64_t deadline = remote_transfer_deadline(r, sys_now_ns(CLOCK_MONOTONIC), bytes);

	if (remote_run(r, k2, v, count, deadline, 1, w, fault) != WIRE_OK)
		return -1;
	if (remote_judge(*w, fault) == WIRE_OK)
		return 1;
	wire_clear(*w);
	return 0;
}

/* Length of a value in a reply to STRLEN, 0 if there is no value. */
static int64_t length_of(const redisReply *reply)
{
	return reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0;
}

/* True if parts 1 .. are all there and have the right length. */
static int has_parts(struct remote *r, const struct digest *k2, const char *key,
                     const struct blob_head *h, struct fault *fault)
{
	int all = 1;

	for (unsigned first = 1; first < h->parts && all > 0; first += REMOTE_WINDOW) {
		unsigned n = h->parts - first < REMOTE_WINDOW ? h->parts - first : REMOTE_WINDOW;
		char keys[REMOTE_WINDOW][REMOTE_KEY_MAX];
		const char *argv[REMOTE_WINDOW][2];
		size_t len[REMOTE_WINDOW][2];
		struct cluster_command v[REMOTE_WINDOW];
		struct wire *w;

		for (unsigned i = 0; i < n; i++) {
			len[i][0] = 6;
			len[i][1] = remote_part_key(keys[i], key, h, first + i);
			argv[i][0] = "STRLEN";
			argv[i][1] = keys[i];
			v[i] = (struct cluster_command){2, argv[i], len[i], 64};
		}
		all = ask(r, k2, v, n, 0, &w, fault);
		if (all <= 0)
			break;
		for (unsigned i = 0; i < n; i++)
			all &= (uint64_t)length_of(w->reply[i]) == blob_part_len(h, first + i);
		wire_clear(w);
	}
	return all;
}

/* Gets the first value and its head. As ask; 1: the reply in *w is a string whose head was
 * checked. */
static int get_first(struct remote *r, enum store_class class, const struct digest *k2,
                     const char *key, size_t n, struct blob_head *h, struct wire **w,
                     struct fault *fault)
{
	const char *argv[] = {"GET", key};
	size_t len[] = {3, n};
	struct cluster_command get = {2, argv, len, BLOB_HEAD + BLOB_PART};
	int rc = ask(r, k2, &get, 1, BLOB_PART, w, fault);

	if (rc <= 0)
		return rc;
	const redisReply *reply = (*w)->reply[0];
	if (reply->type == REDIS_REPLY_STRING &&
	    blob_head_read(h, reply->str, (size_t)reply->len, class, k2, r->max_entry,
	                   &r->server->trust) == BLOB_OK)
		return 1;
	wire_clear(*w);
	return 0;
}

int remote_has(struct remote *r, enum store_class class, const struct digest *k2,
               struct fault *fault)
{
	char key[REMOTE_KEY_MAX];
	const char *argv[] = {"STRLEN", key};
	size_t len[] = {6, 0};
	struct cluster_command strlen_of = {2, argv, len, 64};
	struct blob_head h;
	struct wire *w;
	int rc;

	if (!remote_allows(r, class))
		return 0;
	len[1] = remote_key(key, r, remote_kind(class), k2);
	rc = ask(r, k2, &strlen_of, 1, 0, &w, fault);
	if (rc <= 0)
		return rc;
	int64_t n = length_of(w->reply[0]);
	wire_clear(w);
	if (n <= BLOB_HEAD)
		return 0;
	/* With trusted keys, an unsigned value is as good as absent. */
	if (n < BLOB_HEAD + BLOB_PART && r->server->trust.count == 0)
		return 1;
	rc = get_first(r, class, k2, key, len[1], &h, &w, fault);
	if (rc <= 0)
		return rc;
	wire_clear(w);
	return has_parts(r, k2, key, &h, fault);
}

int remote_get_single(struct remote *r, enum store_class class, const struct digest *k2,
                      struct entry *out, struct fault *fault)
{
	char key[REMOTE_KEY_MAX];
	uint64_t room = r->max_entry;
	struct blob_head h;
	struct wire *w;

	if (!remote_allows(r, class))
		return 0;
	size_t n = remote_key(key, r, remote_kind(class), k2);
	int rc = get_first(r, class, k2, key, n, &h, &w, fault);
	if (rc <= 0)
		return rc;
	rc = remote_value(r, out, w->reply[0], class, k2, &room) == BLOB_OK;
	wire_clear(w);
	return rc;
}

int remote_get_list(struct remote *r, enum store_class class, const struct digest *k1,
                    struct entry out[REMOTE_CANDIDATES], unsigned *refused, struct fault *fault)
{
	int64_t deadline = remote_transfer_deadline(r, sys_now_ns(CLOCK_MONOTONIC), 0);
	uint64_t room = REMOTE_UNPACKED_MAX;
	int n = 0;
	struct wire *w;

	if (remote_list(r, class, k1, 0, REMOTE_CANDIDATES, deadline, &w, fault) != WIRE_OK)
		return -1;
	const redisReply *list = w->reply[0];
	for (size_t i = 0; list->type == REDIS_REPLY_ARRAY && i < list->elements &&
	     i < REMOTE_CANDIDATES; i++) {
		if (remote_value(r, &out[n], list->element[i], class, k1, &room) == BLOB_OK)
			n++;
		else
			++*refused;
	}
	wire_clear(w);
	return n;
}

static enum wire_status ping(struct remote *r, int64_t deadline, struct fault *fault)
{
	static const struct digest any;
	const struct cluster_command command = {1, (const char *[]){"PING"}, (size_t[]){4}, 256};
	struct wire *w;
	enum wire_status s = remote_run(r, &any, &command, 1, deadline, 1, &w, fault);

	if (s != WIRE_OK)
		return s;
	/* A user without PING may still be allowed to look up entries. */
	s = wire_error(w->reply[0]) == WIRE_ERR_NOPERM ? WIRE_OK : remote_judge(w, fault);
	wire_clear(w);
	return s;
}

int remote_ping(struct remote *r, struct fault *fault)
{
	return ping(r, remote_transfer_deadline(r, sys_now_ns(CLOCK_MONOTONIC), 0), fault) ==
	       WIRE_OK ? 0 : -1;
}

int remote_answers(struct remote *r, struct fault *fault)
{
	int64_t start, deadline;

	if (remote_begin(r, &start, &deadline, fault) < 0)
		return -1;
	enum wire_status s = ping(r, deadline, fault);
	remote_end(r, start, s);
	return s == WIRE_OK ? 0 : -1;
}
