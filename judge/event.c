/* judge/event.c - the event of a start. */
#include "judge/event.h"

#include "judge/command_text.h"
#include "shim/rank.h"
#include "shim/sys.h"
#include "store/events.h"

#include "shim/banned.h"

/* Fills in what is the same of all events, and appends it. The time is that of the start's first
 * question to the clock, so that a hit asks it no more. */
static void add(struct start *s, struct event *e)
{
	const char *job = events_job(&s->set, s->call.envp, &s->arena);
	char command[sizeof((struct event_texts *)0)->command] = "";
	struct rank rank;

	if (!job)
		return;
	rank_read(&rank, s->call.envp);
	command_text(command, sizeof command, s);
	e->kind = s->call.inside ? EVENT_INSIDE : EVENT_ACTION;
	e->start = s->times.started_at;
	e->spent = e->duration - s->times.ran_ns;
	e->waited = s->times.waited_ns;
	e->pid = sys_getpid();
	e->step = s->call.nested != 0;
	e->rank = rank.known > 0 ? (int)rank.rank : EVENT_NO_RANK;
	e->key = s->k1;
	e->tool = s->call.base;
	e->command = command;
	events_add(&s->store, job, e, e->verdict == EVENT_HIT && !s->call.inside);
}

void judge_event_hit(struct start *s, int64_t took, int64_t worth, uint64_t bytes)
{
	struct event e = {.verdict = EVENT_HIT, .duration = took, .worth = worth, .bytes = bytes,
	                  .proofs = s->proofs.rests};

	if (s->verdict.held)
		e.recorded_at = candidate_recorded_at(s->verdict.held);
	e.source = s->verdict.from_remote ? EVENT_REMOTE
	           : s->times.waited_ns   ? EVENT_WAITED
	                                  : EVENT_LOCAL;
	add(s, &e);
}

void judge_event(struct start *s, enum event_verdict verdict, enum reason reason)
{
	struct event e = {.verdict = verdict, .reason = reason_rows[reason].name,
	                  .detail = s->verdict.detail};

	e.duration = sys_now_ns(CLOCK_MONOTONIC) - s->times.began_ns;
	add(s, &e);
}
