/* units/unit_event.c - what units leave in the counters and among the events. */
#include "units/unit_event.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/settings/job.h"
#include "store/job/events.h"
#include "units/shape/declared.h"

#include "shim/banned.h"

/* --- unit counters --- */

static const unsigned char packed[UNIT_CLASSES_MAX] = {
#define ROW(id, number, ...) [number] = COUNTER_PACKED_##id,
	UNIT_CLASSES(ROW)
#undef ROW
};
static const unsigned char brought[UNIT_CLASSES_MAX] = {
#define ROW(id, number, ...) [number] = COUNTER_BROUGHT_##id,
	UNIT_CLASSES(ROW)
#undef ROW
};

enum counter unit_counter_packed(enum unit_class class)
{
	return (enum counter)packed[class];
}

enum counter unit_counter_brought(enum unit_class class)
{
	return (enum counter)brought[class];
}

void unit_counters_packed(struct store *s, enum unit_class class, uint64_t bytes)
{
	counters_add(s, COUNTER_UNITS_PACKED, 1);
	counters_add(s, COUNTER_UNITS_BYTES, (int64_t)bytes);
	counters_add(s, unit_counter_packed(class), 1);
}

void unit_counters_brought(struct store *s, enum unit_class class, uint64_t bytes)
{
	counters_add(s, COUNTER_UNITS_BROUGHT, 1);
	counters_add(s, COUNTER_UNITS_BROUGHT_BYTES, (int64_t)bytes);
	counters_add(s, unit_counter_brought(class), 1);
}

static void add(struct store *s, const char *job, struct event *e)
{
	e->kind = EVENT_UNIT;
	e->pid = sys_getpid();
	e->start = sys_now_ns(CLOCK_REALTIME) - e->duration;
	e->spent = e->duration;
	events_add(s, job, e, 0);
}

/* The end of a path says more than its beginning. */
static const char *end_of(const char *path)
{
	size_t n = strlen(path), most = sizeof((struct event_texts *)0)->command - 1;

	return n > most ? path + n - most : path;
}

static void looked_up(struct unit_lookup *l, struct event *e)
{
	int64_t now = sys_now_ns(CLOCK_MONOTONIC);
	struct rank rank;

	rank_read(&rank, l->envp);
	e->rank = rank.known > 0 ? (int)rank.rank : EVENT_NO_RANK;
	e->key = l->key;
	e->tool = declared_name(&l->u);
	e->command = end_of(l->path);
	/* A look-up that places several units is one stretch of time. */
	e->duration = l->begun ? now - l->begun : 0;
	l->begun = now;
	add(&l->store, events_job(&l->set, l->envp, &l->arena), e);
}

void unit_event_brought(struct unit_lookup *l, uint64_t bytes)
{
	struct event e = {.verdict = EVENT_HIT, .bytes = bytes,
	                  .source = l->filled ? EVENT_REMOTE : EVENT_LOCAL};

	unit_counters_brought(&l->store, l->u.class, bytes);
	l->filled = 0;
	looked_up(l, &e);
}

void unit_event_missed(struct unit_lookup *l, const char *why)
{
	struct event e = {.verdict = EVENT_MISS, .reason = reason_rows[REASON_MISS_UNIT].name,
	                  .detail = why};

	counters_add(&l->store, COUNTER_UNITS_MISSED, 1);
	looked_up(l, &e);
}

void unit_event_packed(struct store *s, const struct offer *o, uint64_t bytes)
{
	struct event e = {.verdict = EVENT_STORED, .bytes = bytes, .rank = EVENT_NO_RANK,
	                  .key = o->key, .tool = unit_name(o->class), .command = end_of(o->path)};

	unit_counters_packed(s, o->class, bytes);
	add(s, o->job, &e);
}
