/* units/missed.c - records of the journal: the class as tool, the scope as cwd, the unit's path as argv. */
#include "units/missed.h"

#include <string.h>

#include "shim/le.h"
#include "shim/sys.h"
#include "store/counters.h"
#include "store/journal.h"

#include "shim/banned.h"

static void record(struct bring *b, enum reason reason, const char *why, const char *unit)
{
	struct journal_record r = {.pid = sys_getpid(), .tool = unit_name(b->u.class), .verdict = "miss",
	                           .reason = reason_rows[reason].name, .detail = why, .argv = unit};
	char hex[DIGEST_HEX + 1];

	r.time = sys_now_ns(CLOCK_REALTIME) / 1000000000;
	r.job = settings_job(&b->set, b->envp, &b->arena, NULL);
	if (reason == REASON_MISS_UNIT) {
		digest_hex(&b->key, hex);
		r.key = hex;
		r.cwd = b->scope;
	}
	journal_add(&b->store, &r);
}

void missed_absent(struct bring *b)
{
	const char *why = b->why          ? b->why
	                  : b->remote > 0 ? "neither the local store nor the remote one has it"
	                  : b->remote < 0 ? "the local store does not have it"
	                                  : "the local store does not have it; a remote one is not asked for this class";

	counters_add(&b->store, COUNTER_UNITS_MISSED, 1);
	record(b, REASON_MISS_UNIT, why, b->unit);
}

/* 1: of this class and cause for the first time. */
static int is_news(const struct bring *b)
{
	static uint64_t told[MISSED_CAUSES_MAX]; /* by host threads at once; 0: free */
	struct digest_state s;
	struct digest d;
	uint64_t cause;

	digest_init(&s);
	digest_add(&s, &b->u.class, sizeof b->u.class);
	digest_add(&s, b->why, strlen(b->why));
	digest_final(&s, &d);
	cause = le_get(d.b, 8) | 1;
	for (int i = 0; i < MISSED_CAUSES_MAX; i++) {
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(&told[i], &found, cause, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return 1;
		if (found == cause)
			return 0;
	}
	return 0;
}

void missed_refused(struct bring *b)
{
	struct fault ignored;

	/* What memory there was may not have held all settings: those of the store, for one. */
	if (!b->why || !b->row || b->arena.refused || sys_access(b->path, F_OK) == 0 || !is_news(b))
		return;
	if (!b->store.dir && (store_open(&b->store, &b->set, b->envp, &b->arena, &ignored) < 0 || !b->store.dir))
		return;
	counters_add(&b->store, COUNTER_UNITS_OFF, 1);
	record(b, REASON_MISS_UNIT_OFF, b->why, b->path);
}
