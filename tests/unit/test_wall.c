/* The wall time that replays saved: unions of intervals, by node and group. */
#include <criterion/criterion.h>

#include "cli/report/report.h"

TestSuite(wall);

#define SPARED(from, to) {0, "a", WALL_SPARED, from, to}
#define SPENT(from, to) {0, "a", WALL_SPENT, from, to}
#define COUNT(v) (sizeof(v) / sizeof *(v))

static int64_t saved_of(struct wall_span *v, size_t count)
{
	int64_t saved = -1;

	wall_saved(&saved, 1, v, count);
	return saved;
}

Test(wall, nothing)
{
	cr_expect_eq(saved_of(NULL, 0), 0);
}

Test(wall, work_in_series_adds_up)
{
	struct wall_span v[] = {SPARED(30, 40), SPARED(10, 20), SPARED(20, 30)};

	cr_expect_eq(saved_of(v, COUNT(v)), 30);
}

Test(wall, parallel_work_counts_once)
{
	struct wall_span v[] = {SPARED(10, 20), SPARED(10, 20), SPARED(12, 15), SPARED(15, 25),
	                        SPARED(40, 41)};

	cr_expect_eq(saved_of(v, COUNT(v)), 16);
}

Test(wall, a_long_interval_holds_later_ones)
{
	struct wall_span v[] = {SPARED(0, 100), SPARED(10, 20), SPARED(50, 60), SPARED(90, 110)};

	cr_expect_eq(saved_of(v, COUNT(v)), 110);
}

Test(wall, time_in_reprise_counts_once_and_may_be_more)
{
	struct wall_span v[] = {SPENT(1000, 1010), SPENT(1005, 1010), SPENT(1020, 1021),
	                        SPARED(0, 5)};

	cr_expect_eq(saved_of(v, COUNT(v)), 5 - 11);
}

Test(wall, of_several_nodes_the_largest_counts)
{
	struct wall_span v[] = {{0, "a", WALL_SPARED, 0, 10}, {0, "b", WALL_SPARED, 0, 30},
	                        {0, "b", WALL_SPENT, 0, 5}, {0, "c", WALL_SPENT, 0, 50}};
	struct wall_span lost[] = {{0, "a", WALL_SPENT, 0, 3}, {0, "b", WALL_SPENT, 0, 9}};

	cr_expect_eq(saved_of(v, COUNT(v)), 25);
	cr_expect_eq(saved_of(lost, COUNT(lost)), -3);
}

Test(wall, groups_are_apart)
{
	struct wall_span v[] = {{2, "a", WALL_SPARED, 0, 10}, {0, "a", WALL_SPARED, 0, 7},
	                        {2, "a", WALL_SPARED, 5, 12}};
	int64_t saved[3];

	wall_saved(saved, 3, v, COUNT(v));
	cr_expect_eq(saved[0], 7);
	cr_expect_eq(saved[1], 0);
	cr_expect_eq(saved[2], 12);
}
