/* remote/values.c - names of values, and how they are read. */
#include "remote/values.h"

#include <errno.h>
#include <string.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "store/job/events.h"

#include "shim/banned.h"

size_t remote_key(char out[REMOTE_KEY_MAX], const struct remote *r, char kind,
                  const struct digest *key)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(key, hex);
	return format_text(out, REMOTE_KEY_MAX, "%s:1:%c:{%s}", r->server->config.prefix, kind,
	                   hex);
}

size_t remote_part_key(char out[REMOTE_KEY_MAX], const char *key, const struct blob_head *h,
                       unsigned i)
{
	char name[2 * BLOB_PART_NAME + 1];

	for (unsigned k = 0; k < BLOB_PART_NAME; k++)
		format_text(name + 2 * k, 3, "%x%x", h->part_name[k] >> 4, h->part_name[k] & 15);
	return format_text(out, REMOTE_KEY_MAX, "%s:%s:%u", key, name, i);
}

char remote_kind(enum store_class class)
{
	static const char kind[] = {[STORE_MANIFEST] = 'm', [STORE_RESULT] = 'r',
	                            [STORE_UNIT] = 'u', [STORE_SET] = 's',
	                            [STORE_JOB_NODE] = 'j'};

	return kind[class];
}

enum wire_status remote_list(struct remote *r, enum store_class class, const struct digest *k1,
                             unsigned from, unsigned max, int64_t deadline, struct wire **w,
                             struct fault *fault)
{
	char key[REMOTE_KEY_MAX], first[REMOTE_DIGITS], last[REMOTE_DIGITS];
	const char *range[] = {"LRANGE", key, remote_number(first, from),
	                       remote_number(last, from + max - 1)};
	const char *length[] = {"LLEN", key};
	size_t n = remote_key(key, r, remote_kind(class), k1);
	size_t range_len[] = {6, n, strlen(first), strlen(last)}, length_len[] = {4, n};
	struct cluster_command v[] = {
		{4, range, range_len, (size_t)max * (REMOTE_CANDIDATE_MAX + BLOB_HEAD)},
		{2, length, length_len, 0},
	};
	enum wire_status s = remote_run(r, k1, v, 2, deadline, 1, w, fault);

	if (s == WIRE_OK && wire_error((*w)->reply[0]) == WIRE_ERR_WRONGTYPE)
		return WIRE_OK; /* the key belongs to another program: not the server's fault */
	if (s == WIRE_OK)
		s = remote_judge(*w, fault);
	if (s == WIRE_OK &&
	    ((*w)->reply[0]->type != REDIS_REPLY_ARRAY ||
	     (*w)->reply[1]->type != REDIS_REPLY_INTEGER)) {
		fault_set(fault, EPROTO, "%s", wire_status_text(WIRE_GARBAGE));
		s = WIRE_GARBAGE;
	}
	return s;
}

enum blob_status remote_value(struct remote *r, struct entry *out, const redisReply *value,
                              enum store_class class, const struct digest *key, uint64_t *room)
{
	uint64_t most = *room < r->max_entry ? *room : r->max_entry;
	struct blob_head h;
	enum blob_status st;

	if (value->type != REDIS_REPLY_STRING)
		return BLOB_DAMAGED;
	st = blob_head_read(&h, value->str, (size_t)value->len, class, key, most,
	                    &r->server->trust);
	if (st != BLOB_OK)
		return st;
	if (h.parts != 1)
		return BLOB_DAMAGED;
	*room -= h.entry_len;
	const unsigned char *stored = (const unsigned char *)value->str + BLOB_HEAD;
	st = blob_open(out, &h, value->str, stored, class, key, r->arena);
	/* The reply is freed, but the entry must stay. */
	if (st == BLOB_OK && out->payload >= stored && out->payload <= stored + h.stored) {
		out->payload = (const unsigned char *)arena_memdup(r->arena, out->payload,
		                                                   out->len);
		out->whole = 0;
	}
	return st == BLOB_OK && !out->payload ? BLOB_DAMAGED : st;
}

/* Events of exchanges with the server. */

static const char *class_name(enum store_class class)
{
	static const char *const names[] = {
#define X(id, number, dir) [number] = dir,
		STORE_CLASSES(X)
#undef X
	};

	return names[class];
}

void transfer_begin(struct transfer *t, const struct remote *r)
{
	memset(t, 0, sizeof *t);
	if (!r->on)
		return;
	t->start = sys_now_ns(CLOCK_REALTIME);
	t->in = r->server->bytes_in;
	t->out = r->server->bytes_out;
	t->asked = r->server->asked;
}

int transfer_asked(const struct transfer *t, const struct remote *r)
{
	return r->on && r->server->asked != t->asked;
}

void transfer_end(const struct transfer *t, struct remote *r, enum event_verdict verdict,
                  enum store_class class, const struct digest *key, const char *why)
{
	struct event e = {.kind = EVENT_TRANSFER, .verdict = verdict, .start = t->start,
	                  .rank = r->rank, .detail = why, .pid = sys_getpid()};
	char tool[16], command[sizeof((struct event_texts *)0)->command];
	size_t n;

	if (!r->on || !r->job)
		return;
	n = strcspn(r->server->address, ":+");
	n = n < sizeof tool ? n : 0;
	memcpy(tool, r->server->address, n);
	tool[n] = '\0';
	format_text(command, sizeof command, "%s %s", class_name(class), r->server->address);
	e.duration = sys_now_ns(CLOCK_REALTIME) - t->start;
	e.bytes = verdict == EVENT_STORED ? r->server->bytes_out - t->out
	                                  : r->server->bytes_in - t->in;
	e.key = *key;
	e.tool = tool;
	e.command = command;
	events_add(r->server->store, r->job, &e, 0);
}
