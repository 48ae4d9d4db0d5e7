/* judge/start_times.c - asks the clocks. */
#include "judge/start_times.h"

#include "shim/sys.h"

#include "shim/banned.h"

void start_times_begin(struct start_times *t)
{
	t->began_ns = t->started_ns = sys_now_ns(CLOCK_MONOTONIC);
	t->started_at = t->ran_at = sys_now_ns(CLOCK_REALTIME_COARSE);
}

int64_t start_times_took(const struct start_times *t)
{
	return sys_now_ns(CLOCK_MONOTONIC) - t->started_ns;
}
