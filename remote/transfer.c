/* remote/transfer.c - events of exchanges with the server. */
#include "remote/transfer.h"

#include <string.h>

#include "shim/format.h"
#include "shim/sys.h"
#include "store/events.h"

#include "shim/banned.h"

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
