/* A trace that is damaged, cut, overflown or of another version is refused. */
#include "tree_fixture.h"

TestSuite(tree_trace, .init = start, .fini = stop);

Test(tree_trace, no_trace_at_all)
{
	tree_read(&t, "", 0, TOOL, NULL, NULL, &arena);
	cr_expect_eq(t.reason, REASON_UNSTORED_TRACE);
	trace[7] = '2';
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE, "another version");
	head(used);
	for (size_t n = 0; n < TRACE_HEAD; n++) {
		tree_read(&t, trace, n, TOOL, NULL, NULL, &arena);
		cr_expect_eq(t.reason, REASON_UNSTORED_TRACE);
	}
}

Test(tree_trace, overflow)
{
	bye(TOOL);
	put_u32(24, 1);
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
	put_u32(24, 0);
	cr_expect_eq(outcome(), REASON_NONE);
	head(used + 8);
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE, "a tail beyond the file");
	head(TRACE_HEAD - 8);
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE, "a tail within the head");
}

Test(tree_trace, a_hole)
{
	size_t at = on(TRACE_READ, "/a");

	bye(TOOL);
	put_u32(at, 0);
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
}

Test(tree_trace, torn_lengths)
{
	static const uint32_t len[] = {1, 8, TRACE_RECORD_HEAD, 0x7fffffff, 0xfffffff8, 0xffffffff};
	size_t at = on(TRACE_READ, "/abc");
	uint32_t real;

	bye(TOOL);
	cr_assert_eq(outcome(), REASON_NONE);
	memcpy(&real, trace + at, sizeof real);
	for (size_t i = 0; i < sizeof len / sizeof *len; i++) {
		put_u32(at, len[i]);
		cr_expect_eq(outcome(), REASON_UNSTORED_TRACE, "length %#x", len[i]);
	}
	put_u32(at, real + 4);
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE, "not aligned");
	put_u32(at, real);
	for (size_t i = 16; i <= 20; i += 4) { /* of a, of b */
		uint32_t was;

		memcpy(&was, trace + at + i, sizeof was);
		put_u32(at + i, 0xffffffff);
		cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
		put_u32(at + i, real);
		cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
		put_u32(at + i, was);
	}
	trace[at + TRACE_RECORD_HEAD + 4] = 'x'; /* where a's NUL was */
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
	trace[at + TRACE_RECORD_HEAD + 4] = 0;
	cr_expect_eq(outcome(), REASON_NONE);
}

Test(tree_trace, cut_in_the_middle)
{
	on(TRACE_READ, "/a");
	ev(TOOL, TRACE_RENAME, 0, 0, "/x", "/y");
	bye(TOOL);
	for (size_t n = TRACE_HEAD; n < used; n++) {
		size_t whole = used;

		head(n);
		tree_read(&t, trace, n, TOOL, NULL, NULL, &arena);
		cr_expect_neq(t.reason, REASON_NONE, "%zu of %zu bytes", n, whole);
	}
}

Test(tree_trace, odd_operations)
{
	size_t at = on(TRACE_READ, "/a");

	bye(TOOL);
	trace[at + 4] = TRACE_OP_COUNT;
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
	trace[at + 4] = 0;
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
	trace[at + 5] = 0xff;
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
}

Test(tree_trace, flags_of_a_later_version_change_nothing)
{
	ev(TOOL, TRACE_READ, 0xc000, 0, "/a", "");
	expect_reason(REASON_NONE);
	expect_flags("/a", TREE_READ);
}

Test(tree_trace, cut_names_are_refused)
{
	ev(TOOL, TRACE_READ, TRACE_FLAG_CUT, 0, "/a", "");
	expect_reason(REASON_UNSTORED_TRACE);
	cr_expect_eq(tree_find(&t, "/a"), NULL);
}

Test(tree_trace, names_longer_than_paths_are_refused)
{
	static char path[5000];

	memset(path, 'a', sizeof path - 1);
	path[0] = '/';
	path[4095] = 0;
	on(TRACE_READ, path);
	expect_reason(REASON_NONE);
	start();
	path[4095] = 'a';
	path[4096] = 0;
	on(TRACE_READ, path);
	expect_reason(REASON_UNSTORED_TRACE);
}

Test(tree_trace, bytes_behind_a_nul_are_no_name)
{
	record(TOOL, TRACE_READ, 0, 0, "/a\0b", 4, "", 0);
	expect_reason(REASON_NONE);
	expect_flags("/a", TREE_READ);
}
