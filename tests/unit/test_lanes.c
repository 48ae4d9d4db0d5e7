/* Lanes of a job: one for each rank, with rows whose events do not overlap. */
#include <criterion/criterion.h>

#include "cli/report/report.h"

TestSuite(lanes);

static struct arena arena = ARENA_INIT;

Test(lanes, nodes_and_ranks_are_in_the_order_of_their_numbers)
{
	static const struct {
		const char *host;
		int rank;
	} rows[] = {{"n1", 0}, {"n1", 2}, {"n1", 10}, {"n2", 3}, {"n10", 4}, {"n100", 1}};
	enum { COUNT = sizeof rows / sizeof *rows };
	struct event v[COUNT] = {0};
	struct events e = {.v = v, .count = COUNT};
	struct lanes l;

	for (size_t i = 0; i < COUNT; i++)
		v[COUNT - 1 - i] = (struct event){.host = rows[i].host, .rank = rows[i].rank};
	cr_assert_eq(lanes_make(&l, &e, &arena), 0);
	cr_assert_eq(l.count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		cr_expect_str_eq(l.v[i].host, rows[i].host);
		cr_expect_eq(l.v[i].rank, rows[i].rank);
	}
}

Test(lanes, rows_without_overlap)
{
	struct event v[5] = {0};
	struct events e = {.v = v, .count = 5};
	struct lanes l;

	for (size_t i = 0; i < e.count; i++)
		v[i] = (struct event){.host = "node", .rank = i == 4 ? 7 : 0,
		                      .start = (int64_t)i * 6, .duration = 10};
	cr_assert_eq(lanes_make(&l, &e, &arena), 0);
	cr_assert_eq(l.count, 2);
	cr_expect_eq(l.v[0].rank, 0);
	cr_expect_eq(l.v[0].count, 4);
	cr_expect_eq(l.v[0].rows, 2);
	cr_expect_eq(l.event[0].row, 0);
	cr_expect_eq(l.event[1].row, 1);
	cr_expect_eq(l.event[2].row, 0);
	cr_expect_eq(l.v[1].rows, 1);
	cr_expect_eq(l.begin, 0);
	cr_expect_eq(l.end, 4 * 6 + 10);
	e.count = 0;
	cr_expect_eq(lanes_make(&l, &e, &arena), -1);
}
