/* Several names of one file in a trace: links, renames and spellings. */
#include "tree_fixture.h"

TestSuite(tree_names, .init = start, .fini = stop);

Test(tree_names, answers_about_links_are_kept_apart)
{
	ev(TOOL, TRACE_READLINK, TRACE_FLAG_NOFOLLOW, 0, "/a", "b");
	ev(TOOL, TRACE_REALPATH, 0, 0, "/a", "/c");
	ev(TOOL, TRACE_READLINK, TRACE_FLAG_NOFOLLOW, 0, "/a", "later");
	expect_reason(REASON_NONE);
	expect_flags("/a", TREE_LINK | TREE_REAL);
	cr_expect_str_eq(tree_find(&t, "/a")->text, "b");
	cr_expect_str_eq(tree_find(&t, "/a")->real, "/c");
}

static unsigned uses_of(const char *path)
{
	return tree_find(&t, path)->real_uses;
}

Test(tree_names, uses_of_real_paths)
{
	ev(TOOL, TRACE_REALPATH, 0, 0, "/b/x.o", "/r/x.o");
	run(200, "/usr/lib/cc1", TOOL);
	ev(200, TRACE_REALPATH, 0, 0, "/b/x.h", "/r/x.h");
	ev(200, TRACE_REALPATH, TRACE_FLAG_NESTED, 0, "/b/step.h", "/r/step.h");
	run(300, "/usr/bin/ld.bfd", TOOL);
	ev(300, TRACE_REALPATH, 0, 0, "/root", "/root");
	ev(300, TRACE_REALPATH, 0, 0, "/b/x.o", "/r/x.o");
	run(400, "/usr/bin/ld.bfd", TOOL);
	ev(400, TRACE_REALPATH, 0, 0, "/b/y.o", "/r/y.o");
	run(500, "/usr/bin/other", TOOL);
	ev(500, TRACE_REALPATH, 0, 0, "/b/x.h", "/r/x.h");
	for (uint32_t pid = 200; pid <= 500; pid += 100)
		bye(pid);
	expect_reason(REASON_NONE);
	cr_expect_eq(uses_of("/b/x.o"), REAL_OPERAND | REAL_INPUT);
	cr_expect_eq(uses_of("/b/x.h"), REAL_SHORTENS | REAL_ANY);
	cr_expect_eq(uses_of("/b/step.h"), REAL_ANY);
	cr_expect_eq(uses_of("/b/y.o"), REAL_INPUT);
	cr_expect(flags_of("/root") & TREE_FIRST, "a sysroot");
	cr_expect(flags_of("/b/y.o") & TREE_FIRST, "another linker asks");
	cr_expect_not(flags_of("/b/x.o") & TREE_FIRST);
}

Test(tree_names, renames)
{
	on(TRACE_TEMP, "/o/a-123456.o.tmp");
	ev(TOOL, TRACE_RENAME, 0, 0, "/o/a-123456.o.tmp", "/o/a.o");
	expect_reason(REASON_NONE);
	expect_flags("/o/a-123456.o.tmp", TREE_MADE | TREE_GONE);
	expect_flags("/o/a.o", TREE_MADE | TREE_RENAMED);
	cr_expect_str_eq(tree_find(&t, "/o/a.o")->program, "gcc-12");
}

Test(tree_names, a_rename_over_what_was_read_is_refused)
{
	on(TRACE_READ, "/a.o");
	on(TRACE_TEMP, "/t");
	ev(TOOL, TRACE_RENAME, 0, 0, "/t", "/a.o");
	expect_reason(REASON_UNSTORED_READ_WRITE);
}

Test(tree_names, a_rename_of_what_was_there_is_refused)
{
	ev(TOOL, TRACE_RENAME, 0, 0, "/old", "/new");
	expect_reason(REASON_UNSTORED_OUTPUT);
	start();
	on(TRACE_MKDIR, "/d");
	ev(TOOL, TRACE_RENAME, 0, 0, "/d", "/e");
	expect_reason(REASON_UNSTORED_OUTPUT);
}

Test(tree_names, a_rename_onto_itself_does_nothing)
{
	on(TRACE_WRITE, "/a");
	ev(TOOL, TRACE_RENAME, 0, 0, "/a", "//a");
	expect_reason(REASON_NONE);
	expect_flags("/a", TREE_MADE);
}

Test(tree_names, renamed_away_after_it_was_truncated)
{
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_EXISTED, 0, "/a", "");
	ev(TOOL, TRACE_RENAME, 0, 0, "/a", "/b");
	expect_reason(REASON_NONE);
	cr_expect(flags_of("/a") & TREE_UNLINKED, "the old file went with it");
}

Test(tree_names, hard_links_of_own_files_only)
{
	on(TRACE_WRITE, "/a");
	ev(TOOL, TRACE_LINK, 0, 0, "/a", "/b");
	expect_reason(REASON_NONE);
	expect_flags("/b", TREE_MADE);
	start();
	ev(TOOL, TRACE_LINK, 0, 0, "/old", "/b");
	expect_reason(REASON_UNSTORED_OUTPUT);
}

Test(tree_names, symbolic_links_are_refused)
{
	ev(TOOL, TRACE_LINK, TRACE_FLAG_SYMBOLIC, 0, "/etc/passwd", "/l");
	on(TRACE_READ, "/l");
	on(TRACE_UNLINK, "/l");
	expect_reason(REASON_UNSTORED_OUTPUT);
}

Test(tree_names, spellings_are_one_path)
{
	on(TRACE_READ, "/a//b/./c/");
	ev(TOOL, TRACE_READ, TRACE_FLAG_RELATIVE, 0, "/a/b/c", "");
	ev(TOOL, TRACE_READ, TRACE_FLAG_RELATIVE, 0, "/a/r", "");
	on(TRACE_READ, "/a/../a/b/c");
	expect_reason(REASON_NONE);
	cr_expect_eq(t.count, 4); /* and the program */
	cr_expect_eq(tree_find(&t, "/a/b/c")->flags, TREE_READ | TREE_RELATIVE | TREE_ABSOLUTE);
	cr_expect_eq(tree_find(&t, "/a/r")->flags, TREE_READ | TREE_RELATIVE);
	cr_expect(tree_find(&t, "/a/../a/b/c"), "\"..\" is never folded");
}

Test(tree_names, both_sides_of_a_pair_have_their_spelling)
{
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_RELATIVE, 0, "/w/t", "");
	ev(TOOL, TRACE_RENAME, TRACE_FLAG_RELATIVE, 0, "/w/t", "/abs/a.o");
	expect_reason(REASON_NONE);
	cr_expect_eq(tree_find(&t, "/w/t")->flags & (TREE_RELATIVE | TREE_ABSOLUTE), TREE_RELATIVE);
	cr_expect_eq(tree_find(&t, "/abs/a.o")->flags & (TREE_RELATIVE | TREE_ABSOLUTE),
	             TREE_ABSOLUTE);
}
