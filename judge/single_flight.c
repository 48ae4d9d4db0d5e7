/* judge/single_flight.c - how long a start waits for another process's run. */
#include "judge/single_flight.h"

#include "judge/flight.h"
#include "judge/leader.h"
#include "shim/progress.h"
#include "store/counters.h"

#include "shim/banned.h"

struct wait {
	struct leader leader;
	struct start *start;
	int64_t holder_at; /* when the leader took the lock; 0: not known yet */
	struct progress progress;
};

static int may_serve(void *context, const struct lock_holder *holder, int64_t waited_ns)
{
	struct wait *w = context;

	if (!w->holder_at) {
		if (!holder->tid) /* of another pid namespace, or not noted yet */
			return waited_ns < PROGRESS_PATIENCE_NS;
		w->holder_at = holder->at;
		w->progress.pid = holder->tid;
		leader_begin(&w->leader, w->start, holder->tid);
	}
	/* The run that this start waited for has ended. */
	if (holder->at != w->holder_at)
		return 0;
	return !leader_differs(&w->leader) && progress_goes_on(&w->progress, waited_ns);
}

enum lock_status single_flight(struct start *s, struct lock *lock, int *waited)
{
	struct wait *w = arena_alloc(&s->arena, sizeof *w);
	enum lock_status status;
	int64_t ns = 0;

	*waited = 0;
	if (!w)
		return LOCK_FAULT;
	judge_flight(s);
	w->start = s;
	w->leader.fd = -1;
	status = lock_take_while(lock, s->store.runtime_dir, &s->flight, may_serve, w, &ns);
	leader_end(&w->leader);
	if (ns > 0) {
		counters_add(&s->store, COUNTER_WAITS, 1);
		counters_add(&s->store, COUNTER_WAITED_NS, ns);
		s->times.waited_ns += ns;
		*waited = 1;
	}
	return status;
}
