/* Figures of jobs: groups, exact sums, lanes, times, clean texts, near words. */
#include <criterion/criterion.h>
#include <string.h>

#include "cli/job_summary.h"
#include "cli/lanes.h"
#include "cli/utf8.h"
#include "shim/distance.h"

TestSuite(seen);

#define EURO "\xe2\x82\xac"
#define FACE "\xf0\x9f\x98\x80"
#define BAD "\xef\xbf\xbd"

static struct arena arena = ARENA_INIT;

static struct event event(enum event_kind kind, enum event_verdict verdict, const char *tool,
                          const char *reason, int rank)
{
	return (struct event){.kind = kind, .verdict = verdict, .tool = tool, .reason = reason,
	                      .rank = rank, .host = "node", .command = "", .detail = "",
	                      .duration = 10, .spent = 4, .worth = verdict == EVENT_HIT ? 100 : 0};
}

static struct events job(void)
{
	static struct event v[5];

	v[0] = event(EVENT_ACTION, EVENT_HIT, "gcc", "", 0);
	v[1] = event(EVENT_ACTION, EVENT_MISS, "gcc", "new", 1);
	v[2] = event(EVENT_INSIDE, EVENT_HIT, "NVRTC", "", 1);
	v[3] = event(EVENT_UNIT, EVENT_HIT, "fx", "", 1);
	v[4] = event(EVENT_UNIT, EVENT_MISS, "fx", "unit-absent", EVENT_NO_RANK);
	return (struct events){.v = v, .count = 5};
}

Test(seen, figures_of_a_job)
{
	struct events e = job();
	struct figures f;

	figures_of(&f, &e);
	cr_expect_eq(figures_hits(&f), 2);
	cr_expect_eq(figures_compiles(&f), 3);
	cr_expect_eq(figures_units(&f), 1);
	cr_expect_eq(figures_units_wanted(&f), 2);
	cr_expect_eq(figures_saved(&f), 3 * 100 - 5 * 4);
	cr_expect_eq(figures_events(&f), 5);
}

Test(seen, exact_sums_count_where_they_hold_more)
{
	struct events e = job();
	struct figures f;

	e.sums.count[EVENT_ACTION * EVENT_VERDICTS + EVENT_HIT] = 90;
	e.sums.worth = 7;
	e.sums.spent = 9;
	figures_of(&f, &e);
	cr_expect_eq(figures_hits(&f), 90);
	cr_expect_eq(figures_saved(&f), -2);
	/* Of a node that was started anew since. */
	e.sums.count[EVENT_ACTION * EVENT_VERDICTS + EVENT_HIT] = 1;
	figures_of(&f, &e);
	cr_expect_eq(figures_hits(&f), 2);
}

Test(seen, groups)
{
	static const struct {
		enum group_by by;
		size_t count;
		const char *first;
	} rows[] = {{BY_TOOL, 2, "gcc"}, {BY_CLASS, 1, "fx"}, {BY_RANK, 3, "1"},
	            {BY_REASON, 2, "new"}, {BY_HOST, 1, "node"}};
	struct events e = job();

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct figures *v;

		cr_assert_eq(figures_by(&v, &e, rows[i].by, &arena), rows[i].count, "%zu", i);
		cr_expect_str_eq(v[0].name, rows[i].first);
		cr_expect_eq(group_by_of(group_by_name(rows[i].by)), (int)rows[i].by);
	}
	cr_expect_eq(group_by_of("nothing"), -1);
}

Test(seen, lanes_and_rows_without_overlap)
{
	struct events e = job();
	struct lanes l;

	for (size_t i = 0; i < e.count; i++) {
		e.v[i].rank = i == 4 ? 7 : 0;
		e.v[i].start = (int64_t)i * 6; /* each lasts 10 */
	}
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

Test(seen, texts_become_utf8)
{
	static const char *const rows[][2] = {
		{"a\xc3\xa4z", "a\xc3\xa4z"}, {EURO FACE, EURO FACE}, {"\xff", BAD},
		{"\xc3", BAD}, {"\xc0\xaf", BAD BAD}, {"\xed\xa0\x80", BAD BAD BAD},
		{"a\nb", "a" BAD "b"}};
	char out[64], small[4];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_str_eq(utf8_clean(out, sizeof out, rows[i][0]), rows[i][1], "%zu", i);
	/* No half of a character. */
	cr_expect_str_eq(utf8_clean(small, sizeof small, "ab" EURO), "ab");
}

Test(seen, distance_of_words)
{
	cr_expect_eq(distance("explain", 7, "explain"), 0);
	cr_expect_eq(distance("EXPLAIN", 7, "explain"), 0);
	cr_expect_eq(distance("explian", 7, "explain"), 2);
	cr_expect_eq(distance("", 0, "gc"), 2);
	cr_expect_eq(distance("stat", 4, "stats"), 1);
}
