/* The clocks of a start. */
#include "judge/start.h"

#include <criterion/criterion.h>

Test(start_times, begins_and_takes_time)
{
	struct start_times t = {.waited_ns = 5};

	start_times_begin(&t);
	cr_expect_gt(t.began_ns, 0);
	cr_expect_eq(t.started_ns, t.began_ns);
	cr_expect_gt(t.started_at, 0);
	cr_expect_eq(t.ran_at, t.started_at);
	cr_expect_eq(t.waited_ns, 5, "what was counted before stays");
	cr_expect_geq(start_times_took(&t), 0);
	t.started_ns -= 1000000000;
	cr_expect_geq(start_times_took(&t), 1000000000);
}
