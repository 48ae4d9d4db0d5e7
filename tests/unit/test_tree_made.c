/* How outputs replace existing files: trace/made_files.h. */
#include "tree_fixture.h"

#define LLD 200u

static void start_lld(void)
{
	start();
	hello(LLD, "/usr/bin/ld.lld", "ld.lld", TOOL);
}

TestSuite(tree_made, .init = start_lld, .fini = stop);

static void expect_end(enum reason reason)
{
	bye(LLD);
	expect_reason(reason);
}

Test(tree_made, a_step_says_how_it_wrote)
{
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_NESTED, 0, "/o/a.d", "");
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_NESTED | TRACE_FLAG_UNLINKS, 0, "/o/a.o", "");
	ev(TOOL, TRACE_WRITE, 0, 0, "/o/b.o", "");
	expect_end(REASON_NONE);
	cr_expect_eq(tree_find(&t, "/o/a.d")->style, WRITE_TRUNCATE);
	cr_expect_eq(tree_find(&t, "/o/a.o")->style, WRITE_UNLINK);
	cr_expect_eq(tree_find(&t, "/o/b.o")->style, 0);
}

Test(tree_made, a_program_that_renames_and_asked_would_have_removed)
{
	ev(LLD, TRACE_ABSENT, 0, 0, "/o/asked", "");
	ev(LLD, TRACE_WRITE, 0, 0, "/o/asked", "");
	ev(LLD, TRACE_WRITE, 0, 0, "/o/in_place", "");
	ev(LLD, TRACE_ABSENT, 0, 0, "/o/renamed", "");
	ev(LLD, TRACE_TEMP, 0, 0, "/o/new", "");
	ev(LLD, TRACE_RENAME, 0, 0, "/o/new", "/o/renamed");
	ev(TOOL, TRACE_ABSENT, 0, 0, "/o/by_gcc", "");
	ev(TOOL, TRACE_WRITE, 0, 0, "/o/by_gcc", "");
	expect_end(REASON_NONE);
	expect_flags("/o/asked", TREE_ABSENT | TREE_MADE | TREE_FRESH);
	expect_flags("/o/in_place", TREE_MADE);
	cr_expect_eq(tree_find(&t, "/o/renamed")->flags & (TREE_FRESH | TREE_RENAMED),
	             TREE_RENAMED);
	expect_flags("/o/by_gcc", TREE_ABSENT | TREE_MADE);
}

Test(tree_made, an_old_output_that_is_only_held_is_not_read)
{
	ev(LLD, TRACE_READ, 0, 7, "/o/a", "");
	ev(LLD, TRACE_UNLINK, 0, 0, "/o/a", "");
	ev(LLD, TRACE_WRITE, 0, 0, "/o/a", "");
	expect_end(REASON_NONE);
	cr_expect_eq(tree_find(&t, "/o/a")->flags & (TREE_READ | TREE_UNLINKED), TREE_UNLINKED);
}

Test(tree_made, an_input_that_it_removes_is_read)
{
	ev(LLD, TRACE_READ, 0, 7, "/o/a", "");
	ev(LLD, TRACE_READ, 0, 7, "/o/a", "");
	ev(LLD, TRACE_UNLINK, 0, 0, "/o/a", "");
	ev(LLD, TRACE_WRITE, 0, 0, "/o/a", "");
	expect_end(REASON_UNSTORED_READ_WRITE);
}

Test(tree_made, what_another_process_read_is_read)
{
	ev(TOOL, TRACE_READ, 0, 7, "/o/a", "");
	ev(LLD, TRACE_UNLINK, 0, 0, "/o/a", "");
	ev(LLD, TRACE_WRITE, 0, 0, "/o/a", "");
	expect_end(REASON_UNSTORED_READ_WRITE);
}

Test(tree_made, another_program_reads_what_it_opens)
{
	ev(TOOL, TRACE_READ, 0, 7, "/o/a", "");
	ev(TOOL, TRACE_UNLINK, 0, 0, "/o/a", "");
	ev(TOOL, TRACE_WRITE, 0, 0, "/o/a", "");
	expect_end(REASON_UNSTORED_READ_WRITE);
}
