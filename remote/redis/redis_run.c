/* remote/redis/redis_run.c - runs commands, and judges the replies. */
#include "remote/redis/redis.h"

#include <errno.h>

#include "shim/banned.h"

size_t redis_key(char out[REDIS_KEY_MAX], const struct backend *b, const struct backend_name *name)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(&name->key, hex);
	return format_text(out, REDIS_KEY_MAX, "%s:1:%c:{%s}", redis_of(b)->prefix, name->kind,
	                   hex);
}

size_t redis_part_key(char out[REDIS_KEY_MAX], const char *key, const struct blob_head *h,
                      unsigned i)
{
	char name[2 * BLOB_PART_NAME + 1];

	for (unsigned k = 0; k < BLOB_PART_NAME; k++)
		format_text(name + 2 * k, 3, "%x%x", h->part_name[k] >> 4, h->part_name[k] & 15);
	return format_text(out, REDIS_KEY_MAX, "%s:%s:%u", key, name, i);
}

static void count(struct backend *b)
{
	const struct cluster *c = &redis_of(b)->cluster;

	b->bytes_in = c->seed.received;
	b->bytes_out = c->seed.sent;
	b->round_trips = c->seed.round_trips;
	for (unsigned i = 0; i < c->nodes; i++) {
		b->bytes_in += c->node[i]->wire.received;
		b->bytes_out += c->node[i]->wire.sent;
		b->round_trips += c->node[i]->wire.round_trips;
	}
}

static enum backend_status status_of(enum wire_status s)
{
	switch (s) {
	case WIRE_OK: return BACKEND_OK;
	case WIRE_TIMEOUT: return BACKEND_TIMEOUT;
	case WIRE_REFUSED: return BACKEND_REFUSED;
	case WIRE_DENIED: return BACKEND_DENIED;
	case WIRE_CLOSED: return BACKEND_CLOSED;
	case WIRE_GARBAGE: return BACKEND_GARBAGE;
	case WIRE_SERVER: return BACKEND_SERVER;
	case WIRE_FAULT: break;
	}
	return BACKEND_FAULT;
}

enum backend_status redis_run(struct backend *b, const struct digest *key,
                              const struct cluster_command *v, unsigned n, int64_t deadline,
                              struct wire **out, struct fault *fault)
{
	struct redis *r = redis_of(b);
	char hex[DIGEST_HEX + 1];
	enum wire_status s;

	digest_hex(key, hex);
	r->config.stall_ns = b->stall_ns;
	s = cluster_run(&r->cluster, hex, DIGEST_HEX, v, n, deadline, out, fault);
	count(b);
	if (s == WIRE_OK && (*out)->replies != n) {
		fault_set(fault, EPROTO, "%s", wire_status_text(WIRE_GARBAGE));
		s = WIRE_GARBAGE;
	}
	return status_of(s);
}

enum backend_status redis_judge(const struct wire *w, struct fault *fault)
{
	for (unsigned i = 0; i < w->replies; i++) {
		enum wire_error e = wire_error(w->reply[i]);
		char word[WIRE_QUOTE];

		if (e == WIRE_NO_ERROR)
			continue;
		wire_quote(word, w->reply[i], 1);
		fault_set(fault, e == WIRE_ERR_NOPERM ? EPERM : EPROTO, "the server answers %s",
		          word);
		return e == WIRE_ERR_NOPERM ? BACKEND_DENIED
		       : e == WIRE_ERR_WRONGTYPE ? BACKEND_FOREIGN : BACKEND_SERVER;
	}
	return BACKEND_OK;
}

void *redis_window(struct backend *b)
{
	struct redis *r = redis_of(b);

	if (!r->window)
		r->window = arena_alloc(r->kept, REDIS_WINDOW * (size_t)BLOB_PART);
	return r->window;
}
