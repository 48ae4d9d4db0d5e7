/* remote/server.c - parts of a question, and of calls that ask no breaker. */
#include "remote/server.h"

#include <errno.h>
#include <string.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/job/counters.h"
#include "store/job/events.h"

#include "shim/banned.h"

char server_kind(enum store_class class)
{
	static const char kind[] = {[STORE_MANIFEST] = 'm', [STORE_RESULT] = 'r',
	                            [STORE_UNIT] = 'u', [STORE_SET] = 's',
	                            [STORE_JOB_NODE] = 'j', [STORE_JOB_USED] = 'n'};

	return kind[class];
}

static int64_t until(const struct remote *r, int64_t deadline)
{
	return r->until && r->until < deadline ? r->until : deadline;
}

void question_begin(struct question *q, struct remote *r)
{
	int64_t longest = 0;

	*q = (struct question){.start = sys_now_ns(CLOCK_MONOTONIC)};
	for (unsigned i = 0; i < r->servers; i++)
		if (r->server[i].place->timeout_ns > longest)
			longest = r->server[i].place->timeout_ns;
	q->end = until(r, q->start + longest);
}

int server_begin(struct remote *r, unsigned i, struct question *q, struct fault *fault)
{
	struct remote_server *s = &r->server[i];
	enum breaker_answer answer;
	int64_t limit;

	/* Of several servers, a slow one takes the time of those behind it. */
	if (q->asked && sys_now_ns(CLOCK_MONOTONIC) >= q->end)
		return -1;
	answer = breaker_ask(&s->breaker, r->budget);
	if (answer == BREAKER_OPEN || answer == BREAKER_CLASS) {
		if (!q->failed)
			fault_set(fault, EAGAIN, answer == BREAKER_OPEN
			          ? "the remote store is not used for a while"
			          : "the remote store is slower than these compiles");
		return -1;
	}
	if (!q->asked)
		counters_add(r->server->store, COUNTER_REMOTE_ASKED, 1);
	r->shared->asked++;
	r->shared->last = i;
	q->asked = 1;
	q->start = sys_now_ns(CLOCK_MONOTONIC);
	limit = q->start + breaker_limit(&s->breaker, s->place->timeout_ns);
	q->deadline = limit < q->end ? limit : q->end;
	s->backend.arena = r->arena;
	return 0;
}

static void count_bytes(struct remote *r, unsigned i)
{
	struct remote_server *s = &r->server[i];
	const struct backend *b = &s->backend;

	counters_add(r->server->store, COUNTER_REMOTE_BYTES_IN,
	             (int64_t)(b->bytes_in - s->bytes_in));
	counters_add(r->server->store, COUNTER_REMOTE_BYTES_OUT,
	             (int64_t)(b->bytes_out - s->bytes_out));
	s->bytes_in = b->bytes_in;
	s->bytes_out = b->bytes_out;
}

enum backend_status server_done(struct remote *r, unsigned i, enum backend_status s,
                                const struct fault *fault)
{
	count_bytes(r, i);
	/* EPERM: the user may read and not write. */
	r->denied |= s == BACKEND_DENIED && fault->code != EPERM;
	if ((s == BACKEND_DENIED || s == BACKEND_SERVER) && fault->code == EACCES)
		log_once("remote-denied", "the remote store is not used: %s", fault->text);
	return s;
}

void server_end(struct remote *r, unsigned i, struct question *q, enum backend_status s,
                const struct fault *fault)
{
	int64_t waited = sys_now_ns(CLOCK_MONOTONIC) - q->start;

	server_done(r, i, s, fault);
	q->failed |= server_outcome(s) != BREAKER_SUCCESS;
	breaker_done(&r->server[i].breaker, r->budget, server_outcome(s), waited, 0);
}

enum breaker_outcome server_outcome(enum backend_status s)
{
	switch (s) {
	case BACKEND_OK:
	case BACKEND_ABSENT:
	case BACKEND_FOREIGN: /* another program's value is not the server's fault */
		return BREAKER_SUCCESS;
	case BACKEND_TIMEOUT:
		return BREAKER_TIMEOUT;
	case BACKEND_REFUSED:
	case BACKEND_DENIED:
	case BACKEND_CLOSED:
	case BACKEND_SERVER:
		return BREAKER_REFUSED;
	case BACKEND_GARBAGE:
		return BREAKER_GARBAGE;
	case BACKEND_FAULT:
		break;
	}
	return BREAKER_ABANDONED; /* a failure of this process */
}

unsigned server_of_leases(const struct remote *r)
{
	unsigned i = 0;

	while (i < r->servers &&
	       (r->server[i].place->readonly || !r->server[i].backend.ops->lease_take))
		i++;
	return i;
}

int64_t server_transfer_deadline(const struct remote *r, int64_t start, uint64_t bytes)
{
	int64_t ns = r->shared->config.transfer_ns;
	uint64_t rate = r->shared->config.min_rate, s = rate ? bytes / rate : 0;

	if (s < 1000000) {
		int64_t at_rate = rate ? (int64_t)(bytes * 1000 / rate * 1000000) : 0;
		ns = at_rate > ns ? at_rate : ns;
	}
	return until(r, start + ns);
}

struct backend *server_use(struct remote *r, unsigned i, uint64_t bytes, int64_t *deadline)
{
	*deadline = server_transfer_deadline(r, sys_now_ns(CLOCK_MONOTONIC), bytes);
	r->server[i].backend.arena = r->arena;
	return &r->server[i].backend;
}

void server_forget_fills(struct remote *r)
{
	for (unsigned k = 0; k < r->shared->fills; k++)
		if (!r->shared->fill[k].blob.data)
			sys_close(r->shared->fill[k].blob.fd);
	r->shared->fills = 0;
}

enum blob_status server_value(struct remote *r, struct entry *out,
                              const struct backend_bytes *value, enum store_class class,
                              const struct digest *key, uint64_t *room)
{
	uint64_t most = *room < r->max_entry ? *room : r->max_entry;
	struct blob_head h;
	enum blob_status st;

	st = blob_head_read(&h, value->data, value->len, class, key, most, &r->shared->trust);
	if (st != BLOB_OK)
		return st;
	if (h.parts != 1)
		return BLOB_DAMAGED;
	*room -= h.entry_len;
	return blob_open(out, &h, value->data, value->data + BLOB_HEAD, class, key, r->arena);
}

/* Events of exchanges with a store. */

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
	t->asked = r->shared->asked;
	for (unsigned i = 0; i < r->servers; i++) {
		t->in += r->server[i].bytes_in;
		t->out += r->server[i].bytes_out;
	}
	t->in -= r->shared->unread;
}

int transfer_asked(const struct transfer *t, const struct remote *r)
{
	return r->on && r->shared->asked != t->asked;
}

void transfer_end(const struct transfer *t, struct remote *r, enum event_verdict verdict,
                  enum store_class class, const struct digest *key, const char *why)
{
	struct event e = {.kind = EVENT_TRANSFER, .verdict = verdict, .start = t->start,
	                  .rank = r->rank, .detail = why, .pid = sys_getpid()};
	char tool[16], command[sizeof((struct event_texts *)0)->command];
	struct transfer now;
	const char *address;
	size_t n;

	if (!r->on || !r->job)
		return;
	transfer_begin(&now, r);
	address = r->server[r->shared->last].place->shown;
	n = strcspn(address, ":+");
	n = n < sizeof tool ? n : 0;
	memcpy(tool, address, n);
	tool[n] = '\0';
	format_text(command, sizeof command, "%s %s", class_name(class), address);
	e.duration = now.start - t->start;
	e.bytes = verdict == EVENT_STORED ? now.out - t->out : now.in - t->in;
	e.key = *key;
	e.tool = tool;
	e.command = command;
	events_add(r->server->store, r->job, &e, 0);
}
