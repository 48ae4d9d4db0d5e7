/* FIFOs in which a make hands out tokens: a trace skips them, but no other file of such a name. */
#include "tree_fixture.h"

TestSuite(tree_jobserver, .init = start, .fini = stop);

Test(tree_jobserver, tokens_of_a_jobserver_are_no_input)
{
	on(TRACE_READ, "/tmp/GMfifo7");
	on(TRACE_UPDATE, "/tmp/GMfifo7");
	expect_reason(REASON_UNSTORED_READ_WRITE);
	tree_read(&t, trace, used, TOOL, "/tmp/GMfifo7", NULL, &arena);
	cr_expect_eq(t.reason, REASON_NONE);
	cr_expect_null(tree_find(&t, "/tmp/GMfifo7"));
}

/* make 4.4 below gcc -flto=2. */
static void makes_fifo(const char *program, const char *path, int removed)
{
	stop();
	start();
	ev(300, TRACE_HELLO, 0, TOOL, program, program);
	ev(300, TRACE_OTHER, 0, 0, "mkfifo", path);
	ev(300, TRACE_READ, 0, 0, path, "");
	ev(300, TRACE_UPDATE, 0, 0, path, "");
	if (removed)
		ev(300, TRACE_UNLINK, 0, 0, path, "");
	ev(300, TRACE_BYE, 0, 0, "", "");
}

Test(tree_jobserver, tokens_of_a_make_of_its_own)
{
	makes_fifo("/usr/bin/make", "/tmp/GMfifo300", 1);
	expect_reason(REASON_NONE);
	cr_expect_null(tree_find(&t, "/tmp/GMfifo300"));
	makes_fifo("/usr/bin/make", "/tmp/GMfifo300", 0);
	expect_reason(REASON_UNSTORED_OUTPUT);
	makes_fifo("/usr/bin/make", "/tmp/other", 1);
	expect_reason(REASON_UNSTORED_OUTPUT);
	makes_fifo("/usr/bin/make", "/tmp/GMfifo300.c", 1);
	expect_reason(REASON_UNSTORED_OUTPUT);
	makes_fifo("/usr/bin/make", "GMfifo300", 1);
	expect_reason(REASON_UNSTORED_OUTPUT);
	makes_fifo("/usr/bin/clang-14", "/tmp/GMfifo300", 1);
	expect_reason(REASON_UNSTORED_OUTPUT);
}
