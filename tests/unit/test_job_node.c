/* A node's part of a job: encoded, refused if it is hostile, joined with other parts. */
#include <criterion/criterion.h>
#include <string.h>

#include "shim/buf.h"
#include "store/job/job_node.h"

TestSuite(job_node);

static struct arena arena = ARENA_INIT;

enum { HITS = EVENT_ACTION * EVENT_VERDICTS + EVENT_HIT };

/* count events of the host, one a second. */
static struct events job_of(const char *host, size_t count)
{
	struct events e = {.count = count};

	e.v = arena_alloc(&arena, (count + 1) * sizeof *e.v);
	for (size_t i = 0; i < count; i++) {
		e.v[i] = (struct event){.kind = EVENT_ACTION, .verdict = EVENT_HIT, .rank = 0,
		                        .start = (int64_t)i * 1000000000, .duration = 5,
		                        .spent = 3, .worth = 10, .pid = 7, .tool = "gcc",
		                        .host = host};
		job_counts_add(&e.sums, &e.v[i]);
	}
	return e;
}

static struct job_node node_of(const struct events *e, const char *host, int with_events)
{
	unsigned char *bytes;
	struct job_node n;
	const char *why;
	size_t len;

	bytes = job_node_encode(&len, e, "job", host, with_events, &arena);
	cr_assert_not_null(bytes);
	cr_assert_eq(job_node_decode(&n, bytes, len, "job", &arena, &why), 0, "%s", why);
	return n;
}

Test(job_node, survives_its_bytes)
{
	struct events e = job_of("a", 3);
	struct job_node n;

	e.sums.dropped = 4;
	e.sums.count[HITS] += 4;
	e.sums.waited = 6;
	n = node_of(&e, "a", 1);
	cr_expect_str_eq(n.host, "a");
	cr_expect_str_eq(n.job, "job");
	cr_expect_eq(n.events, 3);
	cr_expect_gt(n.made_at, 1000000000);
	cr_expect_eq(n.sums.count[HITS], 7);
	cr_expect_eq(n.sums.dropped, 4);
	cr_expect_eq(n.sums.spent, 9);
	cr_expect_eq(n.sums.waited, 6);
	cr_expect_eq(n.sums.worth, 30);
	cr_expect_eq(node_of(&e, "a", 0).events, 0);
}

Test(job_node, of_a_shared_store_has_its_own_events_alone)
{
	struct events e = job_of("a", 3);

	e.v[1].host = "b";
	/* The sums of a node that was started anew do not cover its events. */
	memset(&e.sums, 0, sizeof e.sums);
	cr_expect_eq(node_of(&e, "a", 1).events, 2);
	cr_expect_eq(node_of(&e, "a", 1).sums.count[HITS], 2);
	cr_expect_eq(node_of(&e, "b", 1).sums.count[HITS], 1);
}

Test(job_node, keeps_the_newest_events)
{
	struct events e = job_of("a", JOB_NODE_EVENTS_MAX + 5), all = {0};
	struct job_node n = node_of(&e, "a", 1);

	cr_assert_eq(n.events, JOB_NODE_EVENTS_MAX);
	cr_assert_eq(job_node_join(&all, &n, 0, 0, SIZE_MAX, &arena), 0);
	cr_expect_eq(all.count, JOB_NODE_EVENTS_MAX);
	cr_expect_eq(all.v[0].start, 5ll * 1000000000);
	cr_expect_eq(all.sums.count[HITS], JOB_NODE_EVENTS_MAX + 5);
	cr_expect_eq(all.sums.dropped, 5);
}

Test(job_node, hostile_bytes_are_refused)
{
	/* offset, bytes, value */
	static const struct {
		size_t at;
		int n;
		uint64_t value;
	} rows[] = {
		{0, 1, 'X'}, {3, 1, 2}, {4, 4, 1}, {4, 4, 3}, {4, 4, UINT32_MAX},
		{16, 8, UINT64_MAX},         /* dropped: -1 */
		{24, 8, 1ull << 62}, {32, 8, 1ull << 63}, {40, 8, 1ull << 62},
		{48, 8, UINT64_MAX},         /* bytes: -1 */
		{56, 8, UINT64_MAX}, {56 + 8 * 23, 8, 1ull << 60},
		{248, 1, 0}, {248, 1, '\n'}, {249, 1, 0x80}, {320, 1, 'k'}, {320, 1, 0},
	};
	struct events e = job_of("a", 2);
	unsigned char *bytes;
	struct job_node n;
	const char *why;
	size_t len;

	bytes = job_node_encode(&len, &e, "job", "a", 1, &arena);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned char *bad = (unsigned char *)arena_memdup(&arena, bytes, len);

		le_put(bad + rows[i].at, rows[i].value, rows[i].n);
		cr_expect_eq(job_node_decode(&n, bad, len, "job", &arena, &why), -1, "row %zu", i);
	}
	for (size_t cut = 0; cut < len; cut++)
		cr_expect_eq(job_node_decode(&n, bytes, cut, "job", &arena, &why), -1);
	cr_expect_eq(job_node_decode(&n, bytes, len, "other", &arena, &why), -1);
	cr_expect_str_eq(why, "it is of another job");
}

Test(job_node, events_with_impossible_times_are_left_out)
{
	static const size_t times[] = {8, 16, 24, 32, 40};
	struct events e = job_of("a", 2), all = {0};
	unsigned char *bytes;
	struct job_node n;
	const char *why;
	size_t len;

	bytes = job_node_encode(&len, &e, "job", "a", 1, &arena);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		unsigned char *bad = (unsigned char *)arena_memdup(&arena, bytes, len);

		le_put(bad + JOB_NODE_HEAD + times[i], INT64_MAX, 8);
		memset(&all, 0, sizeof all);
		cr_assert_eq(job_node_decode(&n, bad, len, "job", &arena, &why), 0);
		cr_assert_eq(job_node_join(&all, &n, 0, 0, SIZE_MAX, &arena), 0);
		cr_expect_eq(all.count, 1, "at %zu", times[i]);
		cr_expect_eq(all.malformed, 1);
	}
}

Test(job_node, joins_what_is_not_there)
{
	struct events a = job_of("a", 3), b = job_of("b", 2), e = a;
	struct job_node n = node_of(&b, "b", 1);

	cr_assert_eq(job_node_join(&e, &n, 0, 3, SIZE_MAX, &arena), 0);
	cr_expect_eq(e.count, 5);
	cr_expect_eq(e.sums.count[HITS], 5);
	cr_expect_eq(e.sums.dropped, 0);
	cr_expect_str_eq(e.v[4].host, "b");
	/* Two of a node's events are here already: the third is added, and counted. */
	e = job_of("a", 2);
	n = node_of(&a, "a", 1);
	cr_assert_eq(job_node_join(&e, &n, 1, 2, SIZE_MAX, &arena), 0);
	cr_expect_eq(e.count, 3);
	cr_expect_eq(e.sums.count[HITS], 3);
	/* Events that do not fit are counted as dropped. */
	e = job_of("a", 3);
	n = node_of(&b, "b", 1);
	cr_assert_eq(job_node_join(&e, &n, 0, 3, 4, &arena), 0);
	cr_expect_eq(e.count, 4);
	cr_expect_eq(e.sums.count[HITS], 5);
	cr_expect_eq(e.sums.dropped, 1);
}

Test(job_node, keys)
{
	struct digest a, b;

	job_node_key(&a, "job", "host", "/run");
	job_node_key(&b, "job", "host", "/run2");
	cr_expect_not(digest_equal(&a, &b));
	job_node_key(&b, "job", "host2", "/run");
	cr_expect_not(digest_equal(&a, &b));
	cr_expect_lt(job_node_list(&a), JOB_NODE_LISTS);
	job_node_list_key(&a, "job", 1);
	job_node_list_key(&b, "job", 11);
	cr_expect_not(digest_equal(&a, &b));
}
