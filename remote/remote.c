/* remote/remote.c - look-ups in the remote store, and puts. */
#include "remote/remote.h"

#include <string.h>

#include "shim/format.h"
#include "shim/log.h"
#include "shim/sys.h"
#include "store/counters.h"
#include "store/result.h"

/* Parts under way at once: bounds memory beside the result's own. */
#define WINDOW 4
#define KIND_MANIFEST 'm'
#define KIND_RESULT 'r'
#define DIGITS 24
/* Of an error's text in a fault; the rest may quote what was sent. */
#define WORD_MAX 24

static char *put_number(char out[DIGITS], uint64_t v)
{
	format_text(out, DIGITS, "%lu", (unsigned long)v);
	return out;
}

size_t remote_key(char out[REMOTE_KEY_MAX], const struct remote *r, char kind, const struct digest *key)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(key, hex);
	return format_text(out, REMOTE_KEY_MAX, "%s:1:%c:{%s}", r->config.prefix, kind, hex);
}

static size_t part_key(char out[REMOTE_KEY_MAX], const char *key, const struct blob_head *h, unsigned i)
{
	char name[2 * BLOB_PART_NAME + 1];

	for (unsigned k = 0; k < BLOB_PART_NAME; k++)
		format_text(name + 2 * k, 3, "%x%x", h->part_name[k] >> 4, h->part_name[k] & 15);
	return format_text(out, REMOTE_KEY_MAX, "%s:%s:%u", key, name, i);
}

static void count_bytes(struct remote *r)
{
	uint64_t in = r->cluster.seed.received, out = r->cluster.seed.sent;

	for (unsigned i = 0; i < r->cluster.nodes; i++) {
		in += r->cluster.node[i]->wire.received;
		out += r->cluster.node[i]->wire.sent;
	}
	counters_add(r->store, COUNTER_REMOTE_BYTES_IN, (int64_t)(in - r->bytes_in));
	counters_add(r->store, COUNTER_REMOTE_BYTES_OUT, (int64_t)(out - r->bytes_out));
	r->bytes_in = in;
	r->bytes_out = out;
}

/* The first error among the replies as a status. */
static enum wire_status judge_replies(const struct wire *w, struct fault *fault)
{
	for (unsigned i = 0; i < w->replies; i++) {
		const redisReply *reply = w->reply[i];
		enum wire_error e = wire_error(reply);
		char word[WORD_MAX];

		if (e == WIRE_NO_ERROR)
			continue;
		size_t n = strcspn(reply->str, " ");
		n = n < sizeof word - 1 ? n : sizeof word - 1;
		for (size_t k = 0; k < n; k++)
			word[k] = reply->str[k] >= ' ' && reply->str[k] < 127 ? reply->str[k] : '?';
		word[n] = '\0';
		fault_set(fault, e == WIRE_ERR_NOPERM ? EACCES : EPROTO, "the server answers %s", word);
		return e == WIRE_ERR_NOPERM ? WIRE_DENIED : WIRE_SERVER;
	}
	return WIRE_OK;
}

enum wire_status remote_run(struct remote *r, const struct digest *key, const struct cluster_command *v,
                            unsigned count, int64_t deadline, int errors_too, struct wire **out,
                            struct fault *fault)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(key, hex);
	enum wire_status s = cluster_run(&r->cluster, hex, DIGEST_HEX, v, count, deadline, out, fault);
	count_bytes(r);
	if (s == WIRE_OK && (*out)->replies != count) {
		fault_set(fault, EPROTO, "%s", wire_status_text(WIRE_GARBAGE));
		s = WIRE_GARBAGE;
	}
	return s == WIRE_OK && !errors_too ? judge_replies(*out, fault) : s;
}

int remote_begin(struct remote *r, int64_t *start, int64_t *deadline, struct fault *fault)
{
	int64_t held = r->breaker.held_ns;
	enum breaker_answer answer;

	if (!r->on) {
		fault_set(fault, 0, "no remote store");
		return -1;
	}
	answer = breaker_ask(&r->breaker, r->class);
	r->waited_ns += r->breaker.held_ns - held;
	if (answer == BREAKER_OPEN) {
		fault_set(fault, EAGAIN, "the remote store is left alone for a while");
		return -1;
	}
	if (answer == BREAKER_CLASS) {
		fault_set(fault, EAGAIN, "the remote store is slower than such actions are worth");
		return -1;
	}
	*start = sys_now_ns(CLOCK_MONOTONIC);
	*deadline = *start + breaker_limit(&r->breaker, r->config.lookup_ns);
	return 0;
}

static enum breaker_outcome outcome_of(enum wire_status s)
{
	switch (s) {
	case WIRE_OK:
		return BREAKER_SUCCESS;
	case WIRE_TIMEOUT:
		return BREAKER_TIMEOUT;
	case WIRE_REFUSED:
	case WIRE_DENIED:
	case WIRE_CLOSED:
	case WIRE_SERVER:
		return BREAKER_REFUSED;
	case WIRE_GARBAGE:
		return BREAKER_GARBAGE;
	case WIRE_FAULT:
		break;
	}
	return BREAKER_ABANDONED; /* our own trouble */
}

void remote_end(struct remote *r, int64_t start, enum wire_status s)
{
	int64_t waited = sys_now_ns(CLOCK_MONOTONIC) - start;

	r->waited_ns += waited;
	breaker_done(&r->breaker, r->class, outcome_of(s), waited, 0);
}

static int class_travels(const struct remote *r, enum store_class class)
{
	return r->config.classes >> class & 1;
}

/* Before a look-up. HIT: it may be made. */
static enum remote_status may_ask(struct remote *r, enum store_class class, const struct digest *key,
                                  struct fault *fault)
{
	if (!r->on || !class_travels(r, class)) {
		fault_set(fault, 0, r->on ? "this class stays local" : "no remote store");
		return REMOTE_SKIPPED;
	}
	if (!r->ask_again && absent_known(&r->absent, key)) {
		fault_set(fault, ENOENT, "the remote store had nothing a moment ago");
		return REMOTE_ABSENT;
	}
	return REMOTE_HIT;
}

static enum remote_status is_absent(struct remote *r, const struct digest *key, struct fault *fault)
{
	counters_add(r->store, COUNTER_REMOTE_ABSENT, 1);
	absent_note(&r->absent, key);
	fault_set(fault, ENOENT, "the remote store has nothing");
	return REMOTE_ABSENT;
}

static void refuse(struct remote *r, enum blob_status st, const char *what, struct fault *fault)
{
	format_text(r->refused, sizeof r->refused, "a remote %s is %s", what, blob_status_text(st));
	fault_set(fault, EBADMSG, "%s", r->refused);
	if (st == BLOB_NEWER)
		return; /* not ours to judge */
	counters_add(r->store, COUNTER_REFUSED_ENTRIES, 1);
	log_once(st == BLOB_DAMAGED ? "remote-damaged" : "remote-refused", "%s", r->refused);
}

/* One value that is a whole blob. */
static enum blob_status open_value(struct remote *r, struct entry *out, const redisReply *value,
                                   enum store_class class, const struct digest *key, uint64_t max_entry)
{
	struct blob_head h;
	enum blob_status st;

	if (value->type != REDIS_REPLY_STRING)
		return BLOB_DAMAGED;
	st = blob_head_read(&h, value->str, (size_t)value->len, class, key, max_entry, &r->trust);
	if (st != BLOB_OK)
		return st;
	if (h.parts != 1)
		return BLOB_DAMAGED;
	const unsigned char *stored = (const unsigned char *)value->str + BLOB_HEAD;
	st = blob_open(out, &h, value->str, stored, class, key, r->arena);
	/* The reply goes, the entry stays. */
	if (st == BLOB_OK && out->payload >= stored && out->payload <= stored + h.stored) {
		out->payload = (const unsigned char *)arena_memdup(r->arena, out->payload, out->len);
		out->whole = 0;
	}
	return st == BLOB_OK && !out->payload ? BLOB_DAMAGED : st;
}

int remote_open(struct remote *r, const struct settings *set, char *const envp[], const char *job,
                struct store *s, struct arena *a, struct fault *fault)
{
	struct digest where;
	const char *text;

	memset(r, 0, sizeof *r);
	r->store = s;
	r->arena = a;
	if (remote_config_load(&r->config, set, envp, a, fault) < 0)
		return -1;
	if (r->config.scheme == REMOTE_NONE)
		return 0;
	if (trust_load(&r->trust, set, a, fault) < 0)
		return -1;
	r->config.runtime_dir = s->node_dir;
	text = arena_cat(a, remote_config_print(&r->config, a), " ", r->config.prefix, NULL);
	if (!text || strlen(r->config.prefix) > REMOTE_KEY_MAX - 160 ||
	    cluster_init(&r->cluster, &r->config, s->runtime_dir) < 0) {
		fault_set(fault, ENOMEM, text ? "the prefix of keys is too long" : "no memory");
		return -1;
	}
	digest_name(&where, text, strlen(text));
	breaker_init(&r->breaker, s, &where, job);
	absent_init(&r->absent, s, &where, a);
	r->on = 1;
	return 0;
}

/* The elements of a manifest's list that can be believed. */
static unsigned open_candidates(struct remote *r, const struct digest *k1, const redisReply *list,
                                struct entry out[], unsigned max, struct fault *fault)
{
	unsigned n = 0;

	for (size_t i = 0; i < list->elements && i < max; i++) {
		uint64_t room = r->unpacked_before + REMOTE_UNPACKED_MAX - r->unpacked;
		enum blob_status st = open_value(r, &out[n], list->element[i], STORE_MANIFEST, k1,
		                                 room < r->config.max_entry ? room : r->config.max_entry);

		if (st == BLOB_OK)
			r->unpacked += out[n++].len;
		else
			refuse(r, st, "candidate", fault);
	}
	return n;
}

/* LRANGE of a manifest with its LLEN, for look-ups and for the publisher. OK: reply 0 is an array, or the error
 * WRONGTYPE. */
static enum wire_status ask_list(struct remote *r, const struct digest *k1, unsigned from, unsigned max,
                                 int64_t deadline, struct wire **w, struct fault *fault)
{
	char key[REMOTE_KEY_MAX], first[DIGITS], last[DIGITS];
	const char *range[] = {"LRANGE", key, put_number(first, from), put_number(last, from + max - 1)};
	const char *length[] = {"LLEN", key};
	size_t n = remote_key(key, r, KIND_MANIFEST, k1);
	size_t range_len[] = {6, n, strlen(first), strlen(last)}, length_len[] = {4, n};
	struct cluster_command v[] = {
		{4, range, range_len, (size_t)max * (REMOTE_CANDIDATE_MAX + BLOB_HEAD)},
		{2, length, length_len, 0},
	};
	enum wire_status s = remote_run(r, k1, v, 2, deadline, 1, w, fault);

	if (s == WIRE_OK && wire_error((*w)->reply[0]) == WIRE_ERR_WRONGTYPE)
		return WIRE_OK; /* the key is somebody else's: no fault of the server */
	if (s == WIRE_OK)
		s = judge_replies(*w, fault);
	if (s == WIRE_OK && ((*w)->reply[0]->type != REDIS_REPLY_ARRAY || (*w)->reply[1]->type != REDIS_REPLY_INTEGER)) {
		fault_set(fault, EPROTO, "%s", wire_status_text(WIRE_GARBAGE));
		s = WIRE_GARBAGE;
	}
	return s;
}

enum remote_status remote_candidates(struct remote *r, const struct digest *k1, unsigned from,
                                     struct entry out[], unsigned max, unsigned *count, int *more,
                                     struct fault *fault)
{
	enum remote_status status = may_ask(r, STORE_MANIFEST, k1, fault);
	int64_t start, deadline;
	struct wire *w;

	*count = 0;
	*more = 0;
	r->refused[0] = '\0';
	if (max > REMOTE_CANDIDATES)
		max = REMOTE_CANDIDATES;
	if (status != REMOTE_HIT || remote_begin(r, &start, &deadline, fault) < 0)
		return status != REMOTE_HIT ? status : REMOTE_SKIPPED;
	counters_add(r->store, COUNTER_REMOTE_ASKED, 1);
	enum wire_status s = ask_list(r, k1, from, max, deadline, &w, fault);
	remote_end(r, start, s);
	if (s != WIRE_OK)
		return REMOTE_SKIPPED;
	const redisReply *list = w->reply[0];
	if (list->type != REDIS_REPLY_ARRAY) {
		refuse(r, BLOB_DAMAGED, "list of candidates", fault);
		wire_clear(w);
		return REMOTE_ABSENT;
	}
	if (from == 0)
		r->unpacked_before = r->unpacked;
	*count = open_candidates(r, k1, list, out, max, fault);
	*more = list->elements > 0 && w->reply[1]->integer > (long long)from + max;
	if (list->elements == 0)
		status = from == 0 ? is_absent(r, k1, fault) : REMOTE_ABSENT;
	else if (*count == 0 && !*more)
		status = REMOTE_ABSENT;
	wire_clear(w);
	return status;
}

static int64_t transfer_deadline(const struct remote *r, int64_t start, uint64_t bytes)
{
	int64_t ns = r->config.transfer_ns;
	uint64_t s = r->config.min_rate ? bytes / r->config.min_rate : 0;

	if (s < 1000000) {
		int64_t at_rate = r->config.min_rate ? (int64_t)(bytes * 1000 / r->config.min_rate * 1000000) : 0;
		ns = at_rate > ns ? at_rate : ns;
	}
	return start + ns;
}

/* Parts first .. first + n of a blob, to their places. 1: one is gone. */
static int fetch_window(struct remote *r, const struct digest *k2, const char *key, const struct blob_head *h,
                        unsigned first, unsigned n, unsigned char *stored, int64_t deadline,
                        enum wire_status *s, struct fault *fault)
{
	char keys[WINDOW][REMOTE_KEY_MAX];
	const char *argv[WINDOW][2];
	size_t len[WINDOW][2];
	struct cluster_command v[WINDOW];
	struct wire *w;
	void *room[WINDOW];
	int gone = 0;

	for (unsigned i = 0; i < n; i++) {
		len[i][0] = 3;
		len[i][1] = part_key(keys[i], key, h, first + i);
		argv[i][0] = "GET";
		argv[i][1] = keys[i];
		v[i] = (struct cluster_command){2, argv[i], len[i], BLOB_PART};
		room[i] = stored + (size_t)(first + i) * BLOB_PART;
	}
	r->cluster.room = room;
	*s = remote_run(r, k2, v, n, deadline, 0, &w, fault);
	for (unsigned i = 0; *s == WIRE_OK && i < n && !gone; i++) {
		const redisReply *part = w->reply[i];

		/* Of another length: the digest would say so as well. */
		gone = part->type != REDIS_REPLY_STRING || (uint64_t)part->len != blob_part_len(h, first + i);
	}
	if (*s == WIRE_OK)
		wire_clear(w);
	return gone;
}

/* The stored bytes of a blob in parts, whose head is value. NULL with *s OK: a part is gone, or no memory. */
static unsigned char *fetch_parts(struct remote *r, const struct digest *k2, const char *key,
                                  const struct blob_head *h, const unsigned char *value, int64_t start,
                                  enum wire_status *s, struct fault *fault)
{
	int64_t deadline = transfer_deadline(r, start, h->stored);
	/* Each part has room for a whole one, whatever the server sends. */
	unsigned char *stored = arena_alloc(r->arena, (size_t)h->parts * BLOB_PART);

	*s = stored ? WIRE_OK : WIRE_FAULT;
	if (!stored) {
		fault_set(fault, ENOMEM, "no memory for %lu bytes", (unsigned long)h->stored);
		return NULL;
	}
	memcpy(stored, value + BLOB_HEAD, BLOB_PART);
	for (unsigned i = 1; i < h->parts; i += WINDOW) {
		unsigned n = h->parts - i < WINDOW ? h->parts - i : WINDOW;

		if (fetch_window(r, k2, key, h, i, n, stored, deadline, s, fault) || *s != WIRE_OK)
			return NULL;
	}
	return stored;
}

static int64_t wall_of(const struct entry *e, struct arena *a)
{
	struct result result;

	return result_decode(&result, e->payload, e->len, a) == 0 && result.wall_ns < INT64_MAX / 2
	       ? (int64_t)result.wall_ns : 0;
}

/* The rest of a result whose first value has come. The breaker knows that it did: others may ask. */
static enum remote_status take_result(struct remote *r, const struct digest *k2, const char *key,
                                      struct wire *w, int64_t start, struct entry *out, struct fault *fault)
{
	const redisReply *reply = w->reply[0];
	unsigned char *value = (unsigned char *)reply->str, *stored = value + BLOB_HEAD;
	enum blob_status st = BLOB_DAMAGED;
	enum wire_status s = WIRE_OK;
	struct blob_head h = {.parts = 1};
	int64_t waited = 0;

	if (reply->type == REDIS_REPLY_STRING)
		st = blob_head_read(&h, value, (size_t)reply->len, STORE_RESULT, k2, r->config.max_entry, &r->trust);
	if (st == BLOB_OK && h.parts > 1) {
		int64_t begun = sys_now_ns(CLOCK_MONOTONIC);

		stored = fetch_parts(r, k2, key, &h, value, start, &s, fault);
		waited = sys_now_ns(CLOCK_MONOTONIC) - begun;
		r->waited_ns += waited;
		if (s != WIRE_OK) {
			breaker_done(&r->breaker, r->class, outcome_of(s), waited, 0);
			return REMOTE_SKIPPED;
		}
	}
	if (st == BLOB_OK && stored)
		st = blob_open(out, &h, value, stored, STORE_RESULT, k2, r->arena);
	breaker_done(&r->breaker, r->class, BREAKER_ABANDONED, waited,
	             st == BLOB_OK && stored ? wall_of(out, r->arena) : 0);
	if (st == BLOB_OK && stored)
		return REMOTE_HIT;
	if (st == BLOB_OK)
		return is_absent(r, k2, fault); /* evicted in part */
	refuse(r, st, "result", fault);
	return REMOTE_ABSENT;
}

enum remote_status remote_result(struct remote *r, const struct digest *k2, struct entry *out,
                                 struct fault *fault)
{
	enum remote_status status = may_ask(r, STORE_RESULT, k2, fault);
	int64_t start, deadline;
	char key[REMOTE_KEY_MAX];
	const char *argv[] = {"GET", key};
	size_t len[] = {3, 0};
	void *room;
	struct cluster_command get = {2, argv, len, BLOB_HEAD + BLOB_PART};
	struct wire *w;

	r->refused[0] = '\0';
	if (status != REMOTE_HIT || remote_begin(r, &start, &deadline, fault) < 0)
		return status != REMOTE_HIT ? status : REMOTE_SKIPPED;
	counters_add(r->store, COUNTER_REMOTE_ASKED, 1);
	/* Only what comes takes memory. */
	room = arena_alloc(r->arena, BLOB_HEAD + BLOB_PART);
	if (!room) {
		remote_end(r, start, WIRE_FAULT);
		fault_set(fault, ENOMEM, "no memory for a result");
		return REMOTE_SKIPPED;
	}
	len[1] = remote_key(key, r, KIND_RESULT, k2);
	r->cluster.room = &room;
	enum wire_status s = remote_run(r, k2, &get, 1, deadline, 1, &w, fault);
	if (s == WIRE_OK && wire_error(w->reply[0]) != WIRE_ERR_WRONGTYPE)
		s = judge_replies(w, fault);
	remote_end(r, start, s);
	if (s != WIRE_OK)
		return REMOTE_SKIPPED;
	if (w->reply[0]->type == REDIS_REPLY_NIL)
		status = is_absent(r, k2, fault);
	else
		status = take_result(r, k2, key, w, start, out, fault);
	wire_clear(w);
	return status;
}

void remote_ran(struct remote *r, int64_t wall_ns)
{
	if (r->on)
		breaker_learn(&r->breaker, r->class, wall_ns);
}

static int signs_enough(const struct remote *r)
{
	return r->trust.count == 0 || r->trust.signing;
}

int remote_publishes(const struct remote *r)
{
	return r->on && !r->config.readonly && r->config.classes && signs_enough(r) &&
	       !breaker_muted(&r->breaker);
}

/* Before a put. 0, or 1 with *fault: it never will. */
static int may_put(const struct remote *r, enum store_class class, size_t n, struct fault *fault)
{
	if (!r->on || r->config.readonly)
		fault_set(fault, EROFS, r->on ? "nothing is published from here" : "no remote store");
	else if (!class_travels(r, class))
		fault_set(fault, EPERM, "this class stays local");
	else if (!signs_enough(r)) /* others would refuse it, and it would take the place of what they want */
		fault_set(fault, EPERM, "signatures are wanted, and there is no key to sign with");
	else if (n > r->config.max_entry)
		fault_set(fault, EFBIG, "%lu bytes are too large", (unsigned long)n);
	else
		return 0;
	return 1;
}

/* What a put's replies, or their lack, mean: 0, 1 or -1. */
static int put_verdict(struct remote *r, enum wire_status s, const struct wire *w, struct fault *fault)
{
	if (s == WIRE_OK) {
		breaker_alive(&r->breaker);
		return 0;
	}
	for (unsigned i = 0; (s == WIRE_SERVER || s == WIRE_DENIED) && i < w->replies; i++) {
		const redisReply *reply = w->reply[i];

		switch (wire_error(reply)) {
		case WIRE_NO_ERROR:
			continue;
		case WIRE_ERR_NOPERM:
			breaker_mute(&r->breaker, 1);
			log_once("remote-noperm", "the remote store does not let this user write: nothing is published");
			fault->code = EACCES;
			return -1;
		case WIRE_ERR_WRONGTYPE: /* somebody else's key */
			return 1;
		case WIRE_ERR_OTHER: /* ERR: the command itself; anything else is a state that may end */
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

/* Whether one of the list's candidates has that result. 1, 0, -1: no answer. */
static int is_listed(struct remote *r, const struct digest *k1, const unsigned char *result,
                     struct fault *fault)
{
	int64_t deadline = sys_now_ns(CLOCK_MONOTONIC) + r->config.transfer_ns;
	struct wire *w;
	uint64_t room = REMOTE_UNPACKED_MAX;
	struct entry e;
	int found = 0;
	enum wire_status s = ask_list(r, k1, 0, REMOTE_CANDIDATES, deadline, &w, fault);

	if (s != WIRE_OK) {
		int rc = put_verdict(r, s, w, fault);
		wire_clear(w);
		return rc < 0 ? -1 : 0;
	}
	/* Of a WRONGTYPE the push will hear as well. */
	for (size_t i = 0; i < w->reply[0]->elements && !found; i++) {
		if (open_value(r, &e, w->reply[0]->element[i], STORE_MANIFEST, k1, room) != BLOB_OK)
			continue;
		room -= e.len;
		found = e.len >= DIGEST_SIZE && memcmp(e.payload, result, DIGEST_SIZE) == 0;
	}
	wire_clear(w);
	return found;
}

int remote_put_candidate(struct remote *r, const struct digest *k1, const void *payload, size_t n,
                         struct fault *fault)
{
	char key[REMOTE_KEY_MAX], ttl[DIGITS], last[DIGITS];
	unsigned char head[BLOB_HEAD], *value;
	const unsigned char *stored;
	size_t stored_len;

	if (may_put(r, STORE_MANIFEST, n, fault))
		return 1;
	if (n < DIGEST_SIZE) {
		fault_set(fault, EINVAL, "a candidate of %lu bytes", (unsigned long)n);
		return 1;
	}
	int listed = is_listed(r, k1, payload, fault);
	if (listed < 0)
		return -1;
	if (blob_make(head, &stored, &stored_len, STORE_MANIFEST, k1, payload, n, &r->trust, r->arena, fault) < 0)
		return 1;
	value = arena_alloc(r->arena, BLOB_HEAD + stored_len);
	if (!value || stored_len > REMOTE_CANDIDATE_MAX || n > REMOTE_UNPACKED_MAX / 2) {
		fault_set(fault, EFBIG, "a candidate of %lu bytes is too large", (unsigned long)stored_len);
		return 1;
	}
	memcpy(value, head, BLOB_HEAD);
	memcpy(value + BLOB_HEAD, stored, stored_len);
	size_t k = remote_key(key, r, KIND_MANIFEST, k1);
	put_number(ttl, r->config.ttl_s);
	put_number(last, REMOTE_CANDIDATES - 1);
	const char *push[] = {"LPUSH", key, (const char *)value}, *trim[] = {"LTRIM", key, "0", last},
	           *expire[] = {"EXPIRE", key, ttl};
	size_t push_len[] = {5, k, BLOB_HEAD + stored_len}, trim_len[] = {5, k, 1, strlen(last)},
	       expire_len[] = {6, k, strlen(ttl)};
	/* No MULTI: a list that is one too long, or lives longer, for the moment between two commands harms nobody,
	 * and what a cut connection left out is done by the next candidate. */
	struct cluster_command v[] = {{3, push, push_len, 0}, {4, trim, trim_len, 64}, {3, expire, expire_len, 0}};
	unsigned count = r->config.ttl_s ? 3 : 2, skip = listed ? 2 : 0;

	if (skip >= count)
		return 0;
	int rc = run_put(r, k1, v + skip, count - skip, transfer_deadline(r, sys_now_ns(CLOCK_MONOTONIC), stored_len),
	                 fault);
	if (rc == 0)
		absent_forget(&r->absent, k1);
	return rc;
}

/* Values first .. first + n of a blob; value 0 is head and first part. */
static int put_window(struct remote *r, const struct digest *k2, const char *key, const struct blob_head *h,
                      unsigned first, unsigned n, const unsigned char *stored, int64_t deadline,
                      struct fault *fault)
{
	char keys[WINDOW][REMOTE_KEY_MAX], ttl[DIGITS];
	const char *argv[WINDOW][5];
	size_t len[WINDOW][5];
	struct cluster_command v[WINDOW];

	put_number(ttl, r->config.ttl_s);
	for (unsigned i = 0; i < n; i++) {
		const char *words[] = {"SET", keys[i], (const char *)stored + (size_t)(first + i) * BLOB_PART, "EX", ttl};
		size_t lengths[] = {3, part_key(keys[i], key, h, first + i), blob_part_len(h, first + i), 2, strlen(ttl)};

		memcpy(argv[i], words, sizeof words);
		memcpy(len[i], lengths, sizeof lengths);
		v[i] = (struct cluster_command){r->config.ttl_s ? 5 : 3, argv[i], len[i], 64};
	}
	return run_put(r, k2, v, n, deadline, fault);
}

int remote_put_result(struct remote *r, const struct digest *k2, const void *payload, size_t n,
                      struct fault *fault)
{
	char key[REMOTE_KEY_MAX], ttl[DIGITS];
	unsigned char head[BLOB_HEAD], *value;
	const unsigned char *stored;
	struct blob_head h;
	size_t len;
	int rc = 0;

	if (may_put(r, STORE_RESULT, n, fault))
		return 1;
	if (blob_make(head, &stored, &len, STORE_RESULT, k2, payload, n, &r->trust, r->arena, fault) < 0)
		return 1;
	size_t first = len < BLOB_PART ? len : BLOB_PART, k = remote_key(key, r, KIND_RESULT, k2);
	value = arena_alloc(r->arena, BLOB_HEAD + first);
	if (!value) {
		fault_set(fault, ENOMEM, "no memory for %lu bytes", (unsigned long)len);
		return 1;
	}
	memcpy(value, head, BLOB_HEAD);
	memcpy(value + BLOB_HEAD, stored, first);
	enum blob_status st = blob_head_read(&h, value, BLOB_HEAD + first, STORE_RESULT, k2, r->config.max_entry, NULL);
	if (st != BLOB_OK) {
		fault_set(fault, EFBIG, "a result of %lu bytes is %s", (unsigned long)n, blob_status_text(st));
		return 1;
	}
	int64_t deadline = transfer_deadline(r, sys_now_ns(CLOCK_MONOTONIC), len);
	/* The head last: whoever reads it finds the parts. */
	for (unsigned i = 1; i < h.parts && rc == 0; i += WINDOW)
		rc = put_window(r, k2, key, &h, i, h.parts - i < WINDOW ? h.parts - i : WINDOW, stored, deadline, fault);
	if (rc)
		return rc;
	put_number(ttl, r->config.ttl_s);
	const char *argv[] = {"SET", key, (const char *)value, "EX", ttl};
	size_t lens[] = {3, k, BLOB_HEAD + first, 2, strlen(ttl)};
	struct cluster_command set = {r->config.ttl_s ? 5 : 3, argv, lens, 64};
	rc = run_put(r, k2, &set, 1, deadline, fault);
	if (rc == 0)
		absent_forget(&r->absent, k2);
	return rc;
}

void remote_close(struct remote *r)
{
	if (!r->on)
		return;
	cluster_free(&r->cluster);
	breaker_close(&r->breaker);
	trust_wipe(&r->trust);
	r->on = 0;
}

void remote_forget(struct remote *r)
{
	if (!r->on)
		return;
	cluster_forget(&r->cluster);
	trust_wipe(&r->trust);
	r->on = 0;
}
