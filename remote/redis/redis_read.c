/* remote/redis/redis_read.c - reads lists and objects, and joins the parts of an object. */
#include <errno.h>
#include <string.h>

#include "remote/redis/redis.h"
#include "remote/wire/reply.h"

#include "shim/banned.h"

_Static_assert(BACKEND_LIST <= RESP_ELEMENTS, "a list of candidates is an array");

static enum backend_status garbage(struct fault *fault)
{
	fault_set(fault, EPROTO, "%s", wire_status_text(WIRE_GARBAGE));
	return BACKEND_GARBAGE;
}

static enum backend_status no_memory(struct fault *fault, uint64_t bytes)
{
	fault_set(fault, ENOMEM, "no memory for %lu bytes", (unsigned long)bytes);
	return BACKEND_FAULT;
}

/* Copies the elements: the replies end before the arena does. */
static enum backend_status copy_list(struct backend *b, const redisReply *list, unsigned max,
                                     struct backend_list *out, struct fault *fault)
{
	for (size_t i = 0; i < list->elements && i < max && i < BACKEND_LIST; i++) {
		const redisReply *e = list->element[i];
		int text = e->type == REDIS_REPLY_STRING;
		size_t n = text ? (size_t)e->len : 0;
		const char *copy = arena_memdup(b->arena, text ? e->str : "", n);

		if (!copy)
			return no_memory(fault, n);
		out->v[out->count++] = (struct backend_bytes){(const unsigned char *)copy, n};
	}
	return out->count ? BACKEND_OK : BACKEND_ABSENT;
}

enum backend_status redis_candidates(struct backend *b, const struct backend_name *name,
                                     unsigned from, unsigned max, struct backend_list *out,
                                     int64_t deadline, struct fault *fault)
{
	char key[REDIS_KEY_MAX], first[REDIS_DIGITS], last[REDIS_DIGITS];
	const char *range[] = {"LRANGE", key, redis_number(first, from),
	                       redis_number(last, from + max - 1)};
	const char *length[] = {"LLEN", key};
	size_t n = redis_key(key, b, name);
	size_t range_len[] = {6, n, strlen(first), strlen(last)}, length_len[] = {4, n};
	struct cluster_command v[] = {
		{4, range, range_len, (size_t)max * (REDIS_ELEMENT_MAX + BLOB_HEAD)},
		{2, length, length_len, 0},
	};
	struct wire *w;
	enum backend_status s = redis_run(b, &name->key, v, 2, deadline, &w, fault);

	out->count = 0;
	out->length = 0;
	if (s != BACKEND_OK)
		return s;
	s = redis_judge(w, fault);
	if (s == BACKEND_OK &&
	    (w->reply[0]->type != REDIS_REPLY_ARRAY || w->reply[1]->type != REDIS_REPLY_INTEGER))
		s = garbage(fault);
	if (s == BACKEND_OK) {
		out->length = w->reply[1]->integer;
		s = copy_list(b, w->reply[0], max, out, fault);
	}
	wire_clear(w);
	return s;
}

/* Fetches parts first .. first + n of a blob, one after the other, to `to`. ABSENT: a part is
 * missing. */
static enum backend_status get_window(struct backend *b, const struct digest *digest,
                                      const char *key, const struct blob_head *h, unsigned first,
                                      unsigned n, unsigned char *to, int64_t deadline,
                                      struct fault *fault)
{
	char keys[REDIS_WINDOW][REDIS_KEY_MAX];
	const char *argv[REDIS_WINDOW][2];
	size_t len[REDIS_WINDOW][2];
	struct cluster_command v[REDIS_WINDOW];
	struct wire *w;
	void *room[REDIS_WINDOW];

	for (unsigned i = 0; i < n; i++) {
		len[i][0] = 3;
		len[i][1] = redis_part_key(keys[i], key, h, first + i);
		argv[i][0] = "GET";
		argv[i][1] = keys[i];
		v[i] = (struct cluster_command){2, argv[i], len[i], BLOB_PART};
		room[i] = to + (size_t)i * BLOB_PART;
	}
	redis_of(b)->cluster.room = room;
	enum backend_status s = redis_run(b, digest, v, n, deadline, &w, fault);
	if (s != BACKEND_OK)
		return s;
	s = redis_judge(w, fault);
	for (unsigned i = 0; s == BACKEND_OK && i < n; i++) {
		const redisReply *part = w->reply[i];

		/* A part of another length would also fail the digest. */
		if (part->type != REDIS_REPLY_STRING || part->str != room[i] ||
		    (uint64_t)part->len != blob_part_len(h, first + i))
			s = BACKEND_ABSENT;
	}
	wire_clear(w);
	return s;
}

/* Joins the parts of an object whose first value is in out, or gives them away a window at a
 * time. */
static enum backend_status get_parts(struct backend *b, const struct backend_name *name,
                                     const char *key, const struct backend_limit *limit,
                                     struct backend_bytes *out, int64_t deadline,
                                     struct fault *fault)
{
	enum backend_status s = BACKEND_OK;
	struct blob_head h;
	unsigned char *whole, *to;

	/* A value that was cut: who knows its class says so. */
	if (blob_parts(&h, out->data, out->len) < 0)
		return BACKEND_OK;
	/* The buffer has space for a whole part each, whatever the server sends. */
	whole = limit->take ? redis_window(b)
	                    : arena_alloc(b->arena, BLOB_HEAD + (size_t)h.parts * BLOB_PART);
	if (!whole)
		return no_memory(fault, h.stored);
	if (!limit->take)
		memcpy(whole, out->data, out->len);
	for (unsigned i = 1; i < h.parts && s == BACKEND_OK; i += REDIS_WINDOW) {
		unsigned n = h.parts - i < REDIS_WINDOW ? h.parts - i : REDIS_WINDOW;

		to = limit->take ? whole : whole + BLOB_HEAD + (size_t)i * BLOB_PART;
		s = get_window(b, &name->key, key, &h, i, n, to, deadline, fault);
		if (s == BACKEND_OK)
			s = backend_take(limit, to, (n - 1) * (size_t)BLOB_PART +
			                            blob_part_len(&h, i + n - 1));
	}
	out->data = whole;
	out->len = BLOB_HEAD + h.stored;
	return s;
}

/* Memory for a first value. Only pages that are written to take any. taken: until the next one. */
static void *first_room(struct backend *b, int taken)
{
	struct redis *r = redis_of(b);

	if (!taken)
		return arena_alloc(b->arena, BLOB_HEAD + BLOB_PART);
	if (!r->room)
		r->room = arena_alloc(r->kept, BLOB_HEAD + BLOB_PART);
	return r->room;
}

/* Gets the first value. */
static enum backend_status get_first(struct backend *b, const struct backend_name *name,
                                     char key[REDIS_KEY_MAX], int taken,
                                     struct backend_bytes *out, int64_t deadline,
                                     struct fault *fault)
{
	const char *argv[] = {"GET", key};
	size_t len[] = {3, redis_key(key, b, name)};
	struct cluster_command get = {2, argv, len, BLOB_HEAD + BLOB_PART};
	void *room = first_room(b, taken);
	struct wire *w;

	if (!room)
		return no_memory(fault, BLOB_HEAD + BLOB_PART);
	redis_of(b)->cluster.room = &room;
	enum backend_status s = redis_run(b, &name->key, &get, 1, deadline, &w, fault);
	if (s != BACKEND_OK)
		return s;
	const redisReply *reply = w->reply[0];
	s = redis_judge(w, fault);
	if (s == BACKEND_OK && reply->type == REDIS_REPLY_NIL)
		s = BACKEND_ABSENT;
	else if (s == BACKEND_OK && reply->type != REDIS_REPLY_STRING)
		s = garbage(fault);
	if (s == BACKEND_OK) {
		*out = (struct backend_bytes){room, (size_t)reply->len};
		if (reply->str != room) /* an empty string */
			memcpy(room, reply->str, out->len);
	}
	wire_clear(w);
	return s;
}

enum backend_status redis_get(struct backend *b, const struct backend_name *name,
                              const struct backend_limit *limit, struct backend_bytes *out,
                              int64_t deadline, struct fault *fault)
{
	char key[REDIS_KEY_MAX];
	int taken = limit->take != NULL;
	enum backend_status s = get_first(b, name, key, taken, out, deadline, fault);
	uint64_t whole = s == BACKEND_OK ? limit->accept(limit->ctx, out->data, out->len) : 0;

	if (!whole)
		return s;
	if (taken && !limit->take) /* it was refused, and what is there stays the caller's */
		out->data = (void *)arena_memdup(b->arena, (const void *)out->data, out->len);
	if (!out->data)
		return no_memory(fault, out->len);
	s = backend_take(limit, out->data, out->len);
	if (s != BACKEND_OK || whole <= out->len)
		return s;
	return get_parts(b, name, key, limit, out, limit->rest_by ? limit->rest_by : deadline,
	                 fault);
}

/* The commands of a group of reads. */
struct reads {
	struct cluster_command v[BACKEND_READS];
	struct {
		const char *argv[4];
		size_t len[4];
		char key[REDIS_KEY_MAX], last[REDIS_DIGITS];
	} of[BACKEND_READS];
};

/* Copies a reply, which ends before the arena does. */
static void take_read(struct backend *b, struct backend_read *r, const redisReply *reply,
                      struct fault *fault)
{
	char *copy;

	if (reply->type == REDIS_REPLY_NIL) {
		r->status = BACKEND_ABSENT;
	} else if (r->max && reply->type == REDIS_REPLY_ARRAY) {
		r->status = copy_list(b, reply, r->max, &r->list, fault);
		r->list.length = r->list.count < r->max ? r->list.count : BACKEND_LIST;
	} else if (!r->max && reply->type == REDIS_REPLY_STRING && reply->len &&
	           (copy = arena_memdup(b->arena, reply->str, (size_t)reply->len))) {
		r->bytes = (struct backend_bytes){(void *)copy, (size_t)reply->len};
		r->status = BACKEND_OK;
	}
}

static enum backend_status read_group(struct backend *b, struct reads *c, struct backend_read *v[],
                                      unsigned n, int64_t deadline, struct fault *fault)
{
	struct wire *w;

	for (unsigned i = 0; i < n; i++) {
		const char *last = redis_number(c->of[i].last, v[i]->max - 1), *key = c->of[i].key;
		const char *list[] = {"LRANGE", key, "0", last}, *get[] = {"GET", key};
		size_t len = redis_key(c->of[i].key, b, &v[i]->name);

		memcpy(c->of[i].argv, v[i]->max ? list : get, v[i]->max ? sizeof list : sizeof get);
		memcpy(c->of[i].len, (size_t[]){v[i]->max ? 6 : 3, len, 1, strlen(last)},
		       sizeof c->of[i].len);
		c->v[i] = (struct cluster_command){
			v[i]->max ? 4 : 2, c->of[i].argv, c->of[i].len,
			v[i]->max ? v[i]->max * (size_t)(REDIS_ELEMENT_MAX + BLOB_HEAD)
			          : BLOB_HEAD + BLOB_PART};
	}
	enum backend_status s = redis_run(b, &v[0]->name.key, c->v, n, deadline, &w, fault);
	for (unsigned i = 0; s == BACKEND_OK && i < n; i++)
		take_read(b, v[i], w->reply[i], fault);
	if (s == BACKEND_OK)
		wire_clear(w);
	return s;
}

static unsigned owner_of(struct backend *b, const struct backend_read *r)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(&r->name.key, hex);
	return cluster_owner(&redis_of(b)->cluster, hex, DIGEST_HEX);
}

enum backend_status redis_read(struct backend *b, struct backend_read v[], unsigned n,
                               int64_t deadline, struct fault *fault)
{
	struct reads *c = arena_alloc(b->arena, sizeof *c);
	enum backend_status s = c ? BACKEND_OK : no_memory(fault, sizeof *c);
	unsigned char done[BACKEND_READS] = {0};

	for (unsigned i = 0; i < n; i++)
		v[i].status = BACKEND_FAULT;
	/* One pipeline for each node of a cluster; a plain Redis is one. */
	for (unsigned first = 0; first < n && s == BACKEND_OK; first++) {
		struct backend_read *group[BACKEND_READS];
		unsigned owner = owner_of(b, &v[first]), count = 0;

		for (unsigned i = first; i < n; i++)
			if (!done[i] && owner_of(b, &v[i]) == owner) {
				group[count++] = &v[i];
				done[i] = 1;
			}
		if (count)
			s = read_group(b, c, group, count, deadline, fault);
	}
	return s;
}

/* Length of a value in a reply to STRLEN, 0 if there is no value. */
static int64_t length_of(const redisReply *reply)
{
	return reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0;
}

/* Asks for the lengths of n keys. As redis_has. */
static int get_lengths(struct backend *b, const struct digest *digest,
                       char keys[][REDIS_KEY_MAX], unsigned n, int64_t out[], int64_t deadline,
                       struct fault *fault)
{
	const char *argv[REDIS_WINDOW][2];
	size_t len[REDIS_WINDOW][2];
	struct cluster_command v[REDIS_WINDOW];
	struct wire *w;
	int good;

	for (unsigned i = 0; i < n; i++) {
		len[i][0] = 6;
		len[i][1] = strlen(keys[i]);
		argv[i][0] = "STRLEN";
		argv[i][1] = keys[i];
		v[i] = (struct cluster_command){2, argv[i], len[i], 64};
	}
	if (redis_run(b, digest, v, n, deadline, &w, fault) != BACKEND_OK)
		return -1;
	/* After an error the put will get it as well, or this user may not ask. */
	good = redis_judge(w, fault) == BACKEND_OK;
	for (unsigned i = 0; good && i < n; i++)
		out[i] = length_of(w->reply[i]);
	wire_clear(w);
	return good;
}

/* 1: parts 1 .. are all there and have the right length. */
static int has_parts(struct backend *b, const struct digest *digest, const char *key,
                     const struct blob_head *h, int64_t deadline, struct fault *fault)
{
	char keys[REDIS_WINDOW][REDIS_KEY_MAX];
	int64_t len[REDIS_WINDOW];
	int all = 1;

	for (unsigned first = 1; first < h->parts && all > 0; first += REDIS_WINDOW) {
		unsigned n = h->parts - first < REDIS_WINDOW ? h->parts - first : REDIS_WINDOW;

		for (unsigned i = 0; i < n; i++)
			redis_part_key(keys[i], key, h, first + i);
		all = get_lengths(b, digest, keys, n, len, deadline, fault);
		for (unsigned i = 0; all > 0 && i < n; i++)
			all &= (uint64_t)len[i] == blob_part_len(h, first + i);
	}
	return all;
}

int redis_has(struct backend *b, const struct backend_name *name, int64_t deadline,
              struct fault *fault)
{
	char key[1][REDIS_KEY_MAX];
	struct backend_bytes first;
	struct blob_head h;
	int64_t len;

	redis_key(key[0], b, name);
	int rc = get_lengths(b, &name->key, key, 1, &len, deadline, fault);
	if (rc <= 0 || len <= BLOB_HEAD)
		return rc < 0 ? -1 : 0;
	if (len < BLOB_HEAD + BLOB_PART)
		return 1;
	switch (get_first(b, name, key[0], 0, &first, deadline, fault)) {
	case BACKEND_OK:
		break;
	case BACKEND_ABSENT: case BACKEND_FOREIGN:
		return 0;
	default:
		/* A user who may not read may still publish. */
		return fault->code == EPERM ? 0 : -1;
	}
	return blob_parts(&h, first.data, first.len) < 0
	       ? 0 : has_parts(b, &name->key, key[0], &h, deadline, fault);
}
