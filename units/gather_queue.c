/* units/gather_queue.c - takes offers and gathers their units. */
#include "units/gather_queue.h"

#include <string.h>

#include "shim/sys.h"
#include "store/counters.h"

/* Records with a lease wait for so many units at most. */
#define STEP 32
/* No node waits for a unit as for a compile: five looks a second are enough. */
#define POLL_NS 200000000ll
#define REST_NS 1000000000ll
/* A queue without a write for QUEUE_ADOPT_S is taken for one of a host that is gone. */
#define RENEW_NS 600000000000ll
_Static_assert(RENEW_NS < QUEUE_ADOPT_S * 1000000000ll, "store/queue.h");

/* Of several offers of one file, the last one counts. An offer that was taken too early stands
 * behind later ones, so of a file that was closed twice each content is looked at. */
static int comes_again(const struct offer *v, int i, int n)
{
	for (int k = i + 1; k < n; k++)
		if (digest_equal(&v[k].key, &v[i].key) && strcmp(v[k].path, v[i].path) == 0 &&
		    strcmp(v[k].member, v[i].member) == 0 && v[k].closed == v[i].closed &&
		    (!v[i].closed || digest_equal(&v[k].content, &v[i].content)))
			return 1;
	return 0;
}

/* Counts units that are looked at again. */
static void deal_with(struct gather_queue *q, struct offer *v, int n)
{
	for (int i = 0; i < n; i++) {
		struct arena work = ARENA_INIT;
		struct fault why;

		if (comes_again(v, i, n)) {
			counters_add(q->s, COUNTER_UNITS_KNOWN, 1);
			continue;
		}
		enum gather_status status = gather_unit(q->s, &v[i], &q->terms, &work, &why);
		if (status == GATHER_LATER)
			q->resting += offer_again(q->s, &v[i]) == 0;
		if (status == GATHER_HELD)
			q->held += offer_again(q->s, &v[i]) == 0;
		arena_free(&work);
	}
}

/* A process may live for weeks. Until it ends, its offers are read and appended again from time to
 * time. */
static int only_held(struct gather_queue *q)
{
	size_t due;
	int64_t age;

	if (!q->held || sys_now_ns(CLOCK_MONOTONIC) >= q->renew ||
	    offers_pending(q->s, &due, &age) < 0 || due)
		return 0;
	q->held = offers_held(q->s) > 0;
	return q->held;
}

int gather_step(struct gather_queue *q, struct fault *fault)
{
	struct arena a = ARENA_INIT;
	char token[OFFER_TOKEN];
	struct offer *v;
	int n = 0;

	if (sys_now_ns(CLOCK_MONOTONIC) < q->next)
		return 0;
	if (only_held(q)) {
		q->next = sys_now_ns(CLOCK_MONOTONIC) + REST_NS;
		return 0;
	}
	if (!q->begun)
		offers_adopt(q->s);
	q->begun = 1;
	v = arena_alloc(&a, STEP * sizeof *v);
	n = v ? offers_take(q->s, v, STEP, token, &a, fault) : 0;
	q->resting = q->held = 0;
	if (n > 0) {
		q->renew = sys_now_ns(CLOCK_MONOTONIC) + RENEW_NS;
		deal_with(q, v, n);
		offers_done(q->s, token);
	}
	/* Offers that rest are behind all others. */
	if (n == q->resting + q->held)
		q->next = sys_now_ns(CLOCK_MONOTONIC) + (n ? REST_NS : POLL_NS);
	arena_free(&a);
	return n < 0 ? -1 : n > q->resting + q->held;
}
