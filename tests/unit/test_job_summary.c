/* Figures of a job: sums and groups. */
#include <criterion/criterion.h>

#include "cli/report/report.h"
#include "proofs/proof.h"

TestSuite(job_summary);

static struct arena arena = ARENA_INIT;

static struct event event(enum event_kind kind, enum event_verdict verdict, const char *tool,
                          const char *reason, int rank)
{
	return (struct event){.kind = kind, .verdict = verdict, .tool = tool, .reason = reason,
	                      .rank = rank, .host = "node", .command = "", .detail = "",
	                      .start = 1000, .duration = 10, .spent = 4,
	                      .worth = verdict == EVENT_HIT ? 100 : 0,
	                      .recorded_at = verdict == EVENT_HIT ? 500 : 0};
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

Test(job_summary, figures)
{
	struct events e = job();
	struct figures f;

	e.v[2].recorded_at = 550;
	e.v[3].recorded_at = 0; /* it is not known when */
	e.v[4].start = 1002;
	figures_of(&f, &e, &arena);
	cr_expect_eq(figures_hits(&f), 2);
	cr_expect_eq(figures_compiles(&f), 3);
	cr_expect_eq(figures_units(&f), 1);
	cr_expect_eq(figures_units_wanted(&f), 2);
	cr_expect_eq(f.worth, 3 * 100);
	cr_expect_eq(f.spent, 5 * 4);
	cr_expect_eq(f.saved, 150 - 6);
	cr_expect_eq(figures_events(&f), 5);
}

Test(job_summary, exact_sums_count_where_they_hold_more)
{
	struct events e = job();
	struct figures f;

	e.sums.count[EVENT_ACTION * EVENT_VERDICTS + EVENT_HIT] = 90;
	e.sums.worth = 7;
	e.sums.spent = 9;
	figures_of(&f, &e, &arena);
	cr_expect_eq(figures_hits(&f), 90);
	cr_expect_eq(f.worth, 7);
	cr_expect_eq(f.spent, 9);
	cr_expect_eq(f.saved, 100 - 4, "of the events that are kept");
	/* A node that was started again since. */
	e.sums.count[EVENT_ACTION * EVENT_VERDICTS + EVENT_HIT] = 1;
	figures_of(&f, &e, &arena);
	cr_expect_eq(figures_hits(&f), 2);
}

Test(job_summary, an_action_and_its_steps_are_one_compile)
{
	struct events e = job();
	struct figures f, *v;

	e.v[0].step = 1;
	e.v[1].step = 1;
	figures_of(&f, &e, &arena);
	cr_expect_eq(figures_hits(&f), 1);
	cr_expect_eq(figures_compiles(&f), 1);
	cr_expect_eq(figures_events(&f), 5);
	cr_expect_eq(f.worth, 300, "what they took counts");
	figures_by(&v, &e, BY_TOOL, &arena);
	cr_expect_str_eq(v[0].name, "gcc");
	cr_expect_eq(figures_compiles(&v[0]), 2, "gcc was started twice");
	figures_by(&v, &e, BY_HOST, &arena);
	cr_expect_eq(figures_compiles(&v[0]), 1);
}

Test(job_summary, groups)
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
		cr_expect_eq(v[0].saved, v[0].worth ? 100 - 4 : -4);
		cr_expect_eq(group_by_of(group_by_name(rows[i].by)), (int)rows[i].by);
	}
	cr_expect_eq(group_by_of("nothing"), -1);
}

Test(job_summary, hits_by_proof)
{
	struct events e = job();
	struct figures *v;
	size_t n;

	e.v[0].proofs = 1u << PROOF_COMMENTS | 1u << PROOF_FAILURES;
	e.v[0].step = 1;
	n = figures_by(&v, &e, BY_PROOF, &arena);
	cr_assert_eq(n, 3);
	cr_expect_str_eq(v[0].name, "comments");
	cr_expect_str_eq(v[1].name, "failures");
	cr_expect_str_eq(v[2].name, "none", "NVRTC's hit");
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(figures_hits(&v[i]), 1, "a step counts as a start of its own");
		cr_expect_eq(figures_compiles(&v[i]), 1);
		cr_expect_eq(v[i].saved, 100 - 4);
	}
	cr_expect_eq(group_by_of("proof"), BY_PROOF);
}
