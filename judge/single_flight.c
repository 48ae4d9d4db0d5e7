/* judge/single_flight.c - how long a start waits for another process's run. */
#include "judge/single_flight.h"

#include "judge/flight.h"
#include "judge/leader.h"
#include "shim/process.h"
#include "shim/sys.h"
#include "store/counters.h"

#include "shim/banned.h"

/* A run that computes less is waited for this long: it reads its files, or waits for something. */
#define PATIENCE_NS 1000000000ll
/* After that its processes must have been seen running in at least this part of all looks. */
#define RUNNING_PART 4
/* Between two looks, which cost 100 us each. */
#define LOOK_NS 25000000ll

struct wait {
	struct leader leader;
	struct start *start;
	int64_t holder_at; /* when the leader took the lock; 0: not known yet */
	int64_t looked_ns;
	int nice;          /* of this process */
	unsigned looks, running;
};

/* 1: the leader's processes compute, as far as one can see. */
static int makes_progress(struct wait *w, int64_t waited_ns)
{
	int runs, stopped;

	if (w->looks && waited_ns < w->looked_ns + LOOK_NS)
		return 1;
	if (process_tree(w->leader.pid, w->nice, &runs, &stopped) < 0)
		return waited_ns < PATIENCE_NS;
	w->looked_ns = waited_ns;
	w->looks++;
	w->running += runs != 0;
	return !stopped &&
	       (waited_ns < PATIENCE_NS || w->running * RUNNING_PART >= w->looks);
}

static int may_serve(void *context, const struct lock_holder *holder, int64_t waited_ns)
{
	struct wait *w = context;

	if (!w->holder_at) {
		if (!holder->tid) /* of another pid namespace, or not noted yet */
			return waited_ns < PATIENCE_NS;
		struct process self;

		w->holder_at = holder->at;
		w->nice = process_read(&self, 0) == 0 ? self.nice : 0;
		leader_begin(&w->leader, w->start, holder->tid);
	}
	/* The run that this start waited for has ended. */
	if (holder->at != w->holder_at)
		return 0;
	return !leader_differs(&w->leader) && makes_progress(w, waited_ns);
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
