/* The reading of a trace: trace/tree.h's rules about files, variables, and refusals. */
#include "tree_fixture.h"

#include "tools/cmdline/cmdline.h"
#include "tools/script/script.h"

TestSuite(tree, .init = start, .fini = stop);

/* Files. */

Test(tree, reading_makes_an_input)
{
	on(TRACE_READ, "/src/a.c");
	expect_reason(REASON_NONE);
	expect_flags("/src/a.c", TREE_READ);
	cr_expect_eq(tree_find(&t, "/src/b.c"), NULL);
}

Test(tree, written_is_an_output_and_read_after_it_no_input)
{
	ev(TOOL, TRACE_WRITE, 0, 0, "/o/a.o", "");
	on(TRACE_READ, "/o/a.o");
	on(TRACE_STAT, "/o/a.o");
	on(TRACE_LIST, "/o/a.o");
	expect_reason(REASON_NONE);
	expect_flags("/o/a.o", TREE_MADE | TREE_READ_BACK);
	cr_expect_str_eq(tree_find(&t, "/o/a.o")->program, "gcc-12");
}

Test(tree, another_process_may_read_what_one_made)
{
	ev(200, TRACE_WRITE, 0, 0, "/o/a.o", "");
	on(TRACE_READ, "/o/a.o");
	expect_reason(REASON_NONE);
	expect_flags("/o/a.o", TREE_MADE);
}

Test(tree, read_then_written_is_refused)
{
	on(TRACE_READ, "/a.c");
	on(TRACE_WRITE, "/a.c");
	expect_reason(REASON_UNSTORED_READ_WRITE);
	cr_expect_str_eq(t.detail, "/a.c");
}

Test(tree, looked_at_then_written_is_an_output)
{
	on(TRACE_STAT, "/a.o");
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_EXISTED, 0, "/a.o", "");
	expect_reason(REASON_NONE);
	expect_flags("/a.o", TREE_PRESENT | TREE_STAT | TREE_MADE | TREE_EXISTED);
}

Test(tree, made_and_removed)
{
	on(TRACE_TEMP, "/tmp/ccAbcdef.s");
	ev(200, TRACE_WRITE, TRACE_FLAG_EXISTED, 0, "/tmp/ccAbcdef.s", "");
	on(TRACE_READ, "/tmp/ccAbcdef.s");
	on(TRACE_UNLINK, "/tmp/ccAbcdef.s");
	on(TRACE_ABSENT, "/tmp/ccAbcdef.s");
	expect_reason(REASON_NONE);
	/* The second writer found a file that the tree itself had made. */
	expect_flags("/tmp/ccAbcdef.s", TREE_MADE | TREE_GONE | TREE_READ_BACK);
}

Test(tree, made_again_after_its_removal_is_there)
{
	on(TRACE_WRITE, "/a");
	on(TRACE_UNLINK, "/a");
	on(TRACE_WRITE, "/a");
	expect_reason(REASON_NONE);
	expect_flags("/a", TREE_MADE);
}

Test(tree, unlink_and_create)
{
	on(TRACE_UNLINK, "/a.o");
	on(TRACE_ABSENT, "/a.o"); /* the tree itself removed it */
	on(TRACE_WRITE, "/a.o");
	expect_reason(REASON_NONE);
	expect_flags("/a.o", TREE_UNLINKED | TREE_MADE);
}

Test(tree, removal_of_what_was_there)
{
	on(TRACE_UNLINK, "/old");
	expect_reason(REASON_NONE);
	expect_flags("/old", TREE_UNLINKED);
}

Test(tree, truncated_and_then_removed_was_there_too)
{
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_EXISTED, 0, "/a.o", "");
	on(TRACE_UNLINK, "/a.o");
	expect_reason(REASON_NONE);
	expect_flags("/a.o", TREE_MADE | TREE_EXISTED | TREE_GONE | TREE_UNLINKED);
}

/* Through a link the first content goes to another file. */
Test(tree, written_in_place_and_then_replaced)
{
	hello(200, "/usr/bin/as", "as", TOOL);
	ev(TOOL, TRACE_WRITE, 0, 0, "/a.o", "");
	ev(200, TRACE_UNLINK, 0, 0, "/a.o", "");
	ev(200, TRACE_WRITE, 0, 0, "/a.o", "");
	ev(200, TRACE_WRITE, 0, 0, "/b.o", "");
	ev(200, TRACE_UNLINK, 0, 0, "/b.o", "");
	ev(TOOL, TRACE_WRITE, 0, 0, "/b.o", "");
	ev(TOOL, TRACE_WRITE, 0, 0, "/c.o", "");
	ev(TOOL, TRACE_WRITE, 0, 0, "/c.tmp", "");
	ev(TOOL, TRACE_RENAME, 0, 0, "/c.tmp", "/c.o");
	bye(200);
	expect_reason(REASON_NONE);
	cr_assert(tree_find(&t, "/a.o")->replaced);
	cr_assert(!tree_find(&t, "/b.o")->replaced);
	cr_assert(tree_find(&t, "/c.o")->replaced);
}

Test(tree, absence_before_and_after)
{
	on(TRACE_ABSENT, "/inc/x.h");
	ev(TOOL, TRACE_EXEC_FAILED, 0, ENOENT, "/bin1/as", "");
	expect_reason(REASON_NONE);
	expect_flags("/inc/x.h", TREE_ABSENT);
	expect_flags("/bin1/as", TREE_ABSENT);
}

Test(tree, a_program_that_was_not_there_was_not_read)
{
	ev(200, TRACE_EXEC, 0, 0, "/bin1/as", "");
	ev(200, TRACE_EXEC_FAILED, 0, ENOENT, "/bin1/as", "");
	run(200, "/bin2/as", TOOL);
	bye(200);
	expect_reason(REASON_NONE);
	expect_flags("/bin1/as", TREE_ABSENT | TREE_MINDED);
	expect_flags("/bin2/as", TREE_READ | TREE_RUN);
}

Test(tree, kept_content_makes_absence_an_input)
{
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_KEEPS, 0, "/new", "");
	ev(TOOL, TRACE_WRITE, 0, 0, "/truncated", "");
	on(TRACE_UNLINK, "/removed");
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_KEEPS, 0, "/removed", "");
	on(TRACE_TEMP, "/temp");
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_KEEPS, 0, "/temp", "");
	expect_reason(REASON_NONE);
	expect_flags("/new", TREE_MADE | TREE_FRESH);
	expect_flags("/truncated", TREE_MADE);
	expect_flags("/removed", TREE_MADE | TREE_UNLINKED);
	expect_flags("/temp", TREE_MADE);
}

Test(tree, its_output_asked_for_by_a_program_that_may_go_by_it)
{
	hello(200, "/usr/bin/x86_64-linux-gnu-ar", "/usr/bin/ar", TOOL);
	on(TRACE_ABSENT, "/a.o");
	on(TRACE_WRITE, "/a.o");
	ev(200, TRACE_ABSENT, 0, 0, "/lib.a", "");
	ev(200, TRACE_WRITE, 0, 0, "/lib.a", "");
	ev(200, TRACE_WRITE, 0, 0, "/temporary", "");
	ev(200, TRACE_ABSENT, 0, 0, "/other.a", "");
	ev(200, TRACE_RENAME, 0, 0, "/temporary", "/other.a");
	ev(200, TRACE_ABSENT, 0, 0, "/never", "");
	ev(200, TRACE_PRESENT, 0, 0, "/old.a", "");
	ev(200, TRACE_WRITE, TRACE_FLAG_EXISTED, 0, "/old.a", "");
	on(TRACE_PRESENT, "/old.o");
	on(TRACE_WRITE, "/old.o");
	bye(200);
	ended();
	expect_flags("/a.o", TREE_ABSENT | TREE_MADE);
	expect_flags("/lib.a", TREE_ABSENT | TREE_MINDED | TREE_MADE | TREE_FRESH);
	expect_flags("/other.a", TREE_ABSENT | TREE_MINDED | TREE_MADE | TREE_FRESH | TREE_RENAMED);
	expect_flags("/never", TREE_ABSENT | TREE_MINDED);
	expect_flags("/old.a", TREE_PRESENT | TREE_MINDED | TREE_EXISTED | TREE_MADE);
	expect_flags("/old.o", TREE_PRESENT | TREE_MADE);
}

Test(tree, changed_in_place_is_refused_unless_made_here)
{
	on(TRACE_WRITE, "/mine");
	on(TRACE_UPDATE, "/mine");
	on(TRACE_CHMOD, "/mine");
	on(TRACE_TIMES, "/mine");
	expect_reason(REASON_NONE);
	start();
	on(TRACE_UPDATE, "/other");
	expect_reason(REASON_UNSTORED_READ_WRITE);
}

Test(tree, modes_and_times_of_others_are_refused)
{
	on(TRACE_CHMOD, "/other");
	expect_reason(REASON_UNSTORED_OUTPUT);
	start();
	on(TRACE_TIMES, "/other");
	expect_reason(REASON_UNSTORED_OUTPUT);
}

Test(tree, how_a_file_was_made)
{
	const struct tree_file *f;

	ev(TOOL, TRACE_WRITE, 0, S_IFREG | 0640, "/w/a", "");
	ev(TOOL, TRACE_CHMOD, 0, 0755, "/w/a", "");
	/* it is there by now */
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_EXISTED, S_IFREG | 0666, "/w/a", "");
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_EXISTED, (S_IFREG | 0600u) << 16 | S_IFREG | 0666, "/w/b",
	   "");
	ev(TOOL, TRACE_TEMP, 0, S_IFREG | 0600, "/w/t1", "");
	ev(TOOL, TRACE_CHMOD, 0, 0644, "/w/t1", "");
	ev(TOOL, TRACE_RENAME, 0, 0, "/w/t1", "/w/c");
	ev(TOOL, TRACE_WRITE, 0, S_IFREG | 0666, "/w/d", "");
	ev(TOOL, TRACE_CHMOD, 0, 0755, "/w/d", "");
	on(TRACE_UNLINK, "/w/d");
	ev(TOOL, TRACE_WRITE, 0, S_IFREG | 0604, "/w/d", "");
	expect_reason(REASON_NONE);
	f = tree_find(&t, "/w/a");
	cr_expect(f->made_mode == (S_IFREG | 0640) && f->flags & TREE_CHMOD);
	f = tree_find(&t, "/w/b");
	cr_expect(f->made_mode == ((S_IFREG | 0600u) << 16 | S_IFREG | 0666) &&
	          !(f->flags & TREE_CHMOD));
	f = tree_find(&t, "/w/c");
	cr_expect(f->made_mode == (S_IFREG | 0600) && f->flags & TREE_CHMOD);
	f = tree_find(&t, "/w/d");
	cr_expect(f->made_mode == (S_IFREG | 0604) && !(f->flags & TREE_CHMOD),
	          "the second of its name");
}

Test(tree, probes)
{
	ev(TOOL, TRACE_PRESENT, 0, S_IFDIR | 0755, "/usr", "");
	ev(TOOL, TRACE_STAT, TRACE_FLAG_NOFOLLOW, S_IFLNK | 0777, "/l", "");
	ev(TOOL, TRACE_FAILED, 0, EISDIR, "/dir", "");
	ev(TOOL, TRACE_FAILED, 0, EACCES, "/secret", "");
	ev(TOOL, TRACE_FAILED, 0, EPERM, "/sealed", "");
	ev(TOOL, TRACE_FAILED, 0, ENXIO, "/dev/tty", "");
	ev(TOOL, TRACE_EXEC_FAILED, 0, EACCES, "/bin1/as", "");
	on(TRACE_LIST, "/usr/include");
	expect_reason(REASON_NONE);
	expect_flags("/sealed", TREE_PRESENT | TREE_DENIED);
	expect_flags("/bin1/as", TREE_PRESENT | TREE_DENIED);
	expect_flags("/usr", TREE_PRESENT);
	cr_expect_eq(tree_find(&t, "/usr")->mode, S_IFDIR | 0755);
	expect_flags("/l", TREE_PRESENT | TREE_STAT | TREE_NOFOLLOW);
	expect_flags("/dir", TREE_PRESENT);
	expect_flags("/secret", TREE_PRESENT | TREE_DENIED);
	expect_flags("/usr/include", TREE_LISTED);
}

Test(tree, a_file_that_comes_and_goes_has_a_name_of_its_own_or_not)
{
	on(TRACE_WRITE, "/w/fixed");
	on(TRACE_UNLINK, "/w/fixed");
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_EXCL, 0, "/w/random", "");
	ev(TOOL, TRACE_RENAME, 0, 0, "/w/random", "/w/moved");
	on(TRACE_UNLINK, "/w/moved");
	on(TRACE_TEMP, "/w/ccabcdef");
	on(TRACE_WRITE, "/w/ccabcdef");
	on(TRACE_UNLINK, "/w/ccabcdef");
	expect_reason(REASON_NONE);
	cr_expect(tree_find(&t, "/w/fixed")->is_chosen && tree_find(&t, "/w/moved")->is_chosen);
	cr_expect(tree_find(&t, "/w/random")->is_chosen);
	cr_expect(!tree_find(&t, "/w/ccabcdef")->is_chosen);
}

Test(tree, permissions)
{
	const unsigned w = TRACE_ASKED(2), x = TRACE_ASKED(1);

	ev(TOOL, TRACE_PRESENT, 0, w | TRACE_GRANTED(2), "/d", "");
	ev(TOOL, TRACE_PRESENT, 0, x | TRACE_GRANTED(1), "/d", "");
	ev(TOOL, TRACE_FAILED, 0, EACCES | TRACE_ASKED(7), "/tmp", "");
	ev(TOOL, TRACE_FAILED, 0, EACCES | w, "/out", "");
	expect_reason(REASON_NONE);
	expect_flags("/d", TREE_PRESENT);
	cr_expect_eq(tree_find(&t, "/d")->mode, 0);
	cr_expect_eq(tree_find(&t, "/d")->permissions, w | x | TRACE_GRANTED(2) | TRACE_GRANTED(1));
	expect_flags("/tmp", TREE_PRESENT | TREE_DENIED);
	cr_expect_eq(tree_find(&t, "/tmp")->permissions, 0, "gcc takes another directory");
	cr_expect_eq(tree_find(&t, "/out")->permissions, w, "it may matter");
}

Test(tree, a_wrapper_may_use_a_refused_permission)
{
	const unsigned w = TRACE_ASKED(2);

	run(101, "/bin/sh", TOOL);
	ev(101, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_SH, SCRIPT_FILE), "/opt/declared", "");
	ev(101, TRACE_FAILED, 0, EACCES | w, "/d", "");
	ev(101, TRACE_FAILED, 0, EACCES | w, "/e", "");
	ev(101, TRACE_PRESENT, 0, w | TRACE_GRANTED(2), "/e", "");
	bye(101);
	expect_reason(REASON_UNSTORED_INPUT_CHANGED);
	cr_expect_str_eq(t.detail, "/e", "it changed meanwhile");
	cr_expect_eq(tree_find(&t, "/d")->permissions, w);
}

/* The same tree may get another answer the next time. */
Test(tree, an_error_of_the_machine_is_no_input)
{
	static const unsigned errors[] = {EMFILE, ENFILE, ENOMEM, EIO, EINTR, EAGAIN, ESTALE,
	                                  ENODEV, ENXIO, ELOOP, ENAMETOOLONG, ETXTBSY, 9999};

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		for (int run = 0; run < 2; run++) {
			stop();
			start();
			ev(TOOL, run ? TRACE_EXEC_FAILED : TRACE_FAILED, 0, errors[i], "/inc/x.h",
			   "");
			expect_reason(REASON_UNSTORED_SYSTEM);
			cr_expect_str_eq(t.detail, "/inc/x.h", "%s", strerror((int)errors[i]));
		}
}

Test(tree, an_error_of_the_machine_at_a_file_that_is_none_or_its_own)
{
	ev(TOOL, TRACE_FAILED, 0, EMFILE, "/dev/null", "");
	expect_reason(REASON_UNSTORED_SYSTEM);
	stop();
	start();
	on(TRACE_WRITE, "/a.o");
	ev(TOOL, TRACE_FAILED, 0, EMFILE, "/a.o", "");
	expect_reason(REASON_UNSTORED_SYSTEM);
}

Test(tree, directories)
{
	on(TRACE_MKDIR, "/d");
	on(TRACE_WRITE, "/d/x");
	on(TRACE_UNLINK, "/d/x");
	on(TRACE_UNLINK, "/d");
	expect_reason(REASON_NONE);
	expect_flags("/d", TREE_MADE | TREE_DIR | TREE_GONE);
}

Test(tree, order_of_appearance)
{
	for (int i = 0; i < 10000; i++) {
		char path[32];

		snprintf(path, sizeof path, "/f/%d", i);
		on(TRACE_ABSENT, path);
	}
	expect_reason(REASON_NONE);
	cr_assert_eq(t.count, 10001);
	for (int i = 0; i < 10000; i += 999) {
		char path[32];

		snprintf(path, sizeof path, "/f/%d", i);
		cr_expect_eq(tree_find(&t, path) - t.file, i + 1);
	}
}

Test(tree, what_is_never_stored)
{
	ev(TOOL, TRACE_SOCKET, 0, 2, "", "");
	expect_reason(REASON_UNSTORED_NETWORK);
	start();
	ev(TOOL, TRACE_OTHER, 0, 0, "mknod", "/x");
	expect_reason(REASON_UNSTORED_OUTPUT);
	cr_expect_str_eq(t.detail, "mknod");
}

Test(tree, the_first_reason_stands)
{
	ev(TOOL, TRACE_SOCKET, 0, 2, "", "");
	on(TRACE_READ, "/a");
	on(TRACE_WRITE, "/a");
	expect_reason(REASON_UNSTORED_NETWORK);
}

Test(tree, variables_with_each_answer)
{
	ev(TOOL, TRACE_GETENV, 0, 0, "CPATH", "/inc");
	ev(TOOL, TRACE_GETENV, 0, 0, "CPATH", "/inc");
	ev(TOOL, TRACE_GETENV, TRACE_FLAG_UNSET, 0, "CPATH", "");
	ev(TOOL, TRACE_GETENV, TRACE_FLAG_UNSET, 0, "CPATH", "");
	ev(TOOL, TRACE_GETENV, 0, 0, "CPATH", "/other");
	ev(TOOL, TRACE_GETENV, TRACE_FLAG_UNSET, 0, "LPATH", "");
	ev(TOOL, TRACE_GETENV, 0, 0, "EMPTY", "");
	for (int i = 0; i < 200; i++) {
		char name[16];

		snprintf(name, sizeof name, "V%d", i);
		ev(TOOL, TRACE_GETENV, 0, 0, name, name);
	}
	expect_reason(REASON_NONE);
	cr_assert_eq(t.env_count, 205);
	cr_expect_str_eq(t.env[0].name, "CPATH");
	cr_expect_str_eq(t.env[0].value, "/inc");
	cr_expect_eq(t.env[1].value, NULL);
	cr_expect_str_eq(t.env[2].value, "/other");
	cr_expect_eq(t.env[3].value, NULL);
	cr_expect_str_eq(t.env[4].value, "");
	cr_expect_str_eq(t.env[204].value, "V199");
}

/* A step's reports of itself (action/nest.h). */

Test(tree, a_step_that_is_not_stored_refuses_the_parent_action)
{
	ev(TOOL, TRACE_REFUSE, 0, 0, "failing exit status", "");
	expect_reason(REASON_UNSTORED_STEP);
	cr_expect_str_eq(t.detail, "failing exit status");
}

Test(tree, a_step_says_how_it_was_keyed_and_read)
{
	ev(TOOL, TRACE_HOST, 0, CMD_NATIVE, "", "");
	ev(TOOL, TRACE_READ, TRACE_FLAG_RUN, 0, "/bin/as", "");
	ev(TOOL, TRACE_STAT, TRACE_FLAG_TIMES, 0100644, "/src/k.cu", "");
	ev(TOOL, TRACE_STAT, 0, 0100644, "/src/l.cu", "");
	expect_reason(REASON_NONE);
	cr_expect_eq(t.host, CMD_NATIVE);
	expect_flags("/bin/as", TREE_READ | TREE_RUN);
	expect_flags("/src/k.cu", TREE_PRESENT | TREE_STAT | TREE_TIMES);
	expect_flags("/src/l.cu", TREE_PRESENT | TREE_STAT);
}
