/* The reading of a trace: which processes there were, who must report and end, and their kinds. */
#include "tools/chance.h"
#include "tools/script/script.h"
#include "tree_fixture.h"

TestSuite(tree_process, .init = start, .fini = stop);

Test(tree_process, the_program_is_an_input)
{
	ev(200, TRACE_EXEC, 0, 0, "/bin/as", "");
	hello(200, "/usr/bin/x86_64-linux-gnu-as", "/bin/as", TOOL);
	ev(200, TRACE_LOADED, 0, 0, "/lib/libbfd.so", "");
	bye(200);
	expect_reason(REASON_NONE);
	expect_flags("/bin/as", TREE_READ | TREE_RUN);
	expect_flags("/usr/bin/x86_64-linux-gnu-as", TREE_READ);
	expect_flags("/lib/libbfd.so", TREE_READ);
}

Test(tree_process, a_program_that_could_not_be_started)
{
	ev(200, TRACE_EXEC, 0, 0, "/bin/a", "");
	ev(200, TRACE_EXEC_FAILED, 0, EACCES, "/bin/a", "");
	ev(TOOL, TRACE_EXEC_FAILED, 0, EACCES, "/bin/b", ""); /* spawn */
	ev(TOOL, TRACE_EXEC_FAILED, 0, ENOEXEC, "/bin/text", "");
	expect_reason(REASON_NONE);
	expect_flags("/bin/a", TREE_PRESENT | TREE_DENIED);
	expect_flags("/bin/b", TREE_PRESENT | TREE_DENIED);
	expect_flags("/bin/text", TREE_READ | TREE_RUN);
}

/* The trace holds a path's real file when it is opened, and that of a program by itself. */
Test(tree_process, a_path_that_leads_to_another_file)
{
	ev(TOOL, TRACE_READ, 0, 7, "/link/a.h", "");
	ev(TOOL, TRACE_READ, 0, 7, "/link/a.h", "");
	ev(TOOL, TRACE_READ, 0, 0, "/link/a.h", ""); /* not known */
	ev(TOOL, TRACE_LIST, 0, 9, "/link", "");
	ev(TOOL, TRACE_LOADED, 0, 11, "/lib/libc.so", "");
	expect_reason(REASON_NONE);
	cr_expect_eq(tree_find(&t, "/link/a.h")->identity, 7);
	cr_expect_eq(tree_find(&t, "/link")->identity, 9);
	cr_expect_eq(tree_find(&t, "/lib/libc.so")->identity, 11);
	start();
	ev(TOOL, TRACE_READ, 0, 7, "/link/a.h", "");
	ev(TOOL, TRACE_READ, 0, 8, "/link/a.h", "");
	expect_reason(REASON_UNSTORED_INPUT_CHANGED);
	start(); /* a file that the tree makes may differ each time */
	ev(TOOL, TRACE_WRITE, 0, 0, "/w/t", "");
	ev(TOOL, TRACE_READ, 0, 7, "/w/t", "");
	on(TRACE_UNLINK, "/w/t");
	ev(TOOL, TRACE_WRITE, 0, 0, "/w/t", "");
	ev(TOOL, TRACE_READ, 0, 8, "/w/t", "");
	expect_reason(REASON_NONE);
}

static void program(uint32_t pid, const char *exe, const char *called, uint32_t parent,
                    uint32_t identity)
{
	hello(pid, exe, called, parent);
	ev(pid, TRACE_PROGRAM, 0, identity, exe, "");
}

Test(tree_process, a_program_is_the_file_that_ran)
{
	ev(200, TRACE_EXEC, 0, 0, "/bin/called", ""); /* exec: its own pid */
	program(200, "/usr/bin/real", "/bin/called", TOOL, 7);
	ev(200, TRACE_EXEC, 0, 0, "/bin/next", ""); /* in its place */
	program(200, "/bin/next", "/bin/next", TOOL, 8);
	bye(200);
	/* spawn: the report comes before the parent's record */
	program(201, "/bin/spawned", "/bin/spawned", TOOL, 9);
	bye(201);
	ev(TOOL, TRACE_SPAWN, 0, 201, "/bin/spawned", "");
	ev(TOOL, TRACE_SPAWN, 0, 202, "/bin/later", ""); /* ... and after it */
	program(202, "/bin/later", "/bin/later", TOOL, 10);
	bye(202);
	hello(203, "/bin/amid", "/bin/amid", TOOL); /* ... and between its two records */
	ev(TOOL, TRACE_SPAWN, 0, 203, "/bin/amid", "");
	ev(203, TRACE_PROGRAM, 0, 11, "/bin/amid", "");
	bye(203);
	/* before the parent's record, a script that starts another program in its place */
	program(204, "/usr/bin/dash", "/bin/script", TOOL, 12);
	ev(204, TRACE_EXEC, 0, 0, "/bin/last", "");
	program(204, "/bin/last", "/bin/last", TOOL, 13);
	bye(204);
	ev(TOOL, TRACE_SPAWN, 0, 204, "/bin/script", "");
	/* ... and a program that does the same */
	program(205, "/bin/first", "/bin/first", TOOL, 14);
	ev(205, TRACE_EXEC, 0, 0, "/bin/last", "");
	program(205, "/bin/last", "/bin/last", TOOL, 13);
	bye(205);
	ev(TOOL, TRACE_SPAWN, 0, 205, "/bin/first", "");
	expect_reason(REASON_NONE);
	cr_expect_eq(tree_find(&t, "/bin/called")->identity, 7);
	cr_expect_eq(tree_find(&t, "/usr/bin/real")->identity, 7);
	cr_expect_eq(tree_find(&t, "/bin/next")->identity, 8);
	cr_expect_eq(tree_find(&t, "/bin/spawned")->identity, 9);
	cr_expect_eq(tree_find(&t, "/bin/later")->identity, 10);
	cr_expect_eq(tree_find(&t, "/bin/amid")->identity, 11);
	cr_expect_eq(tree_find(&t, "/bin/script")->identity, 0);
	cr_expect_eq(tree_find(&t, "/bin/first")->identity, 14);
	cr_expect_eq(tree_find(&t, "/bin/last")->identity, 13);
	start(); /* two starts of one path, two programs */
	ev(200, TRACE_EXEC, 0, 0, "/bin/called", "");
	program(200, "/opt/1/as", "/bin/called", TOOL, 7);
	bye(200);
	ev(201, TRACE_EXEC, 0, 0, "/bin/called", "");
	program(201, "/opt/2/as", "/bin/called", TOOL, 8);
	bye(201);
	expect_reason(REASON_UNSTORED_INPUT_CHANGED);
}

Test(tree_process, a_program_made_here_is_no_input_and_not_kept)
{
	on(TRACE_WRITE, "/w/a.out");
	run(200, "/w/a.out", TOOL);
	bye(200);
	expect_reason(REASON_UNSTORED_STEP);
	expect_flags("/w/a.out", TREE_MADE);
}

Test(tree_process, the_process_that_made_a_file)
{
	run(200, "/usr/bin/as", TOOL);
	ev(200, TRACE_WRITE, 0, 0, "/a.o", "");
	bye(200);
	expect_reason(REASON_NONE);
	cr_expect_str_eq(tree_find(&t, "/a.o")->program, "as");
}

Test(tree_process, the_tool_must_report)
{
	used = TRACE_HEAD;
	head(used);
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
	/* The hello of another process is not the tool's hello. */
	hello(TOOL + 1, "/usr/bin/gcc", "/usr/bin/gcc", 1);
	bye(TOOL + 1);
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
}

Test(tree_process, the_tool_must_end_orderly)
{
	cr_expect_eq(outcome(), REASON_UNSTORED_ALIVE);
	cr_expect_eq(ended(), REASON_NONE);
}

Test(tree_process, a_started_program_must_report)
{
	ev(200, TRACE_EXEC, 0, 0, "/static", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
	start();
	ev(TOOL, TRACE_SPAWN, 0, 200, "/static", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
	/* The child may have reported before its parent wrote the record of the start. */
	start();
	hello(200, "/bin/as", "/bin/as", TOOL);
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/as", "");
	bye(200);
	expect_reason(REASON_NONE);
	/* A process that reported, and then became a static program. */
	start();
	hello(200, "/bin/sh", "/bin/sh", TOOL);
	ev(200, TRACE_EXEC, 0, 0, "/static", "");
	bye(200);
	expect_reason(REASON_UNSTORED_UNTRACED);
}

Test(tree_process, a_start_that_failed_needs_no_report)
{
	ev(200, TRACE_EXEC, 0, 0, "/x", "");
	ev(200, TRACE_EXEC_FAILED, 0, EACCES, "/x", "");
	expect_reason(REASON_NONE);
}

Test(tree_process, a_program_that_goes_on_as_another)
{
	run(TOOL, "/usr/bin/gcc-13", 1);
	expect_reason(REASON_UNSTORED_SCRIPT);
	cr_expect_str_eq(t.detail, "gcc-12: starts gcc-13: set REPRISE_WRAPPERS=/usr/bin/gcc-12");
	start(); /* a wrapper that waits; a copy of gcc is no such process */
	run(200, "/opt/as", TOOL);
	run(201, "/usr/bin/as", 200);
	bye(201);
	bye(200);
	expect_reason(REASON_UNSTORED_SCRIPT);
	start();
	ev(200, TRACE_FORKED, 0, TOOL, "", "");
	run(200, "/usr/bin/as", TOOL);
	bye(200);
	expect_reason(REASON_NONE);
}

Test(tree_process, a_child_must_end_orderly)
{
	run(200, "/bin/as", TOOL);
	expect_reason(REASON_UNSTORED_ALIVE);
	start();
	ev(201, TRACE_FORKED, 0, TOOL, "", "");
	expect_reason(REASON_UNSTORED_ALIVE);
	start();
	ev(201, TRACE_FORKED, 0, TOOL, "", "");
	ev(201, TRACE_WRITE, 0, 0, "/a", "");
	bye(201);
	expect_reason(REASON_NONE);
	cr_expect_str_eq(tree_find(&t, "/a")->program, "gcc-12", "its parent's program");
}

Test(tree_process, a_reused_pid_is_another_process)
{
	run(200, "/bin/as", TOOL);
	bye(200);
	run(200, "/bin/ld", TOOL);
	expect_reason(REASON_UNSTORED_ALIVE);
}

Test(tree_process, a_spawned_program_must_report_even_if_its_pid_was_used_before)
{
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/as", "");
	hello(200, "/bin/as", "/bin/as", TOOL);
	bye(200);
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/static", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
	start(); /* a process that reported before its SPAWN record is not the next one */
	hello(200, "/bin/as", "/bin/as", TOOL);
	bye(200);
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/as", "");
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/static", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
	start(); /* nor is a shell of system(3) */
	ev(TOOL, TRACE_SYSTEM, 0, 0, "/bin/sh", "");
	hello(200, "/usr/bin/dash", "/bin/sh", TOOL);
	bye(200);
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/static", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
}

/* With a linear search, each event would look at 5,000 * 5,000 / 2 processes. */
Test(tree_process, thousands_of_children)
{
	enum { CHILDREN = 5000, EVENTS = 6 };

	for (uint32_t i = 1; i <= CHILDREN; i++) {
		uint32_t pid = TOOL + i * 3;

		ev(pid, TRACE_EXEC, 0, 0, "/bin/as", "");
		hello(pid, "/bin/as", "/bin/as", TOOL);
		ev(pid, TRACE_WRITE, 0, 0, "/w/a", "");
		on(TRACE_UNLINK, "/w/a");
		bye(pid);
	}
	expect_reason(REASON_NONE);
	cr_expect_eq(t.process_count, CHILDREN + 2, "they, the tool and its parent");
	cr_expect_lt(t.process_steps, 4ul * EVENTS * CHILDREN, "%zu steps", t.process_steps);
}

/* A vfork child uses its parent's pid, except in records of a program's start. */
Test(tree_process, a_vfork_child_is_its_parent)
{
	ev(TOOL, TRACE_ABSENT, 0, 0, "/bin1/as", "");
	run(200, "/bin2/as", TOOL);
	bye(200);
	expect_reason(REASON_NONE);
}

Test(tree_process, system_starts_a_shell_that_must_report)
{
	ev(TOOL, TRACE_SYSTEM, 0, 0, "/bin/sh", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
	start();
	ev(TOOL, TRACE_SYSTEM, 0, 0, "/bin/sh", "");
	hello(200, "/usr/bin/dash", "/bin/sh", TOOL);
	bye(200);
	expect_reason(REASON_NONE);
	/* The hello of another child is not the shell's. A shell of another child is not ours. */
	start();
	ev(TOOL, TRACE_SYSTEM, 0, 0, "/bin/sh", "");
	run(200, "/usr/bin/as", TOOL);
	hello(201, "/usr/bin/dash", "/bin/sh", 200);
	bye(200);
	bye(201);
	expect_reason(REASON_UNSTORED_UNTRACED);
}

#define LTO_WRAPPER "/usr/lib/gcc/x86_64-linux-gnu/12/lto-wrapper"

/* From hello to bye, an interpreter that reads a script. */
static void interpreter(uint32_t pid, const char *exe, const char *called, uint32_t parent)
{
	hello(pid, exe, called, parent);
	ev(pid, TRACE_SCRIPT, 0, 0, strrchr(exe, '/') + 1, "");
	bye(pid);
}

Test(tree_process, scripts)
{
	ev(200, TRACE_EXEC, 0, 0, "/w/wrapper", "");
	interpreter(200, "/usr/bin/dash", "/w/wrapper", TOOL);
	expect_reason(REASON_UNSTORED_SCRIPT);
	cr_expect_str_eq(t.detail, "dash");
}

/* A script that a shell runs is kept for judge/script/scripts.c. */
Test(tree_process, a_script_that_can_be_read)
{
	ev(200, TRACE_EXEC, 0, 0, "/w/wrapper", "");
	hello(200, "/usr/bin/dash", "/w/wrapper", TOOL);
	ev(200, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_SH, SCRIPT_FILE), "/w/wrapper", "");
	ev(200, TRACE_READ, 0, 0, "/w/wrapper", "");
	ev(201, TRACE_FORKED, 0, 200, "", "");
	run(201, "/usr/bin/as", 200);
	ev(201, TRACE_READ, 0, 0, "/w/input", "");
	bye(201);
	bye(200);
	expect_reason(REASON_NONE);
	cr_assert_eq(t.script_count, 1);
	cr_expect_str_eq(t.script[0].what, "/w/wrapper");
	cr_expect_eq(t.script[0].language, (unsigned)SCRIPT_SH);
	cr_expect_eq(t.script[0].form, (unsigned)SCRIPT_FILE);
	start();
	hello(200, "/usr/bin/dash", "/w/wrapper", TOOL);
	ev(200, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_SH, SCRIPT_FILE), "/w/wrapper", "");
	ev(200, TRACE_EXEC_FAILED, 0, ENOEXEC, "/w/no-program", "");
	bye(200);
	expect_reason(REASON_UNSTORED_SCRIPT);
	cr_expect_str_eq(t.detail, "/w/no-program");
	start();
	hello(200, "/usr/bin/dash", "/w/wrapper", TOOL);
	ev(200, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_SH, SCRIPT_FILE), "/w/wrapper", "");
	run(201, "/usr/bin/cat", 200);
	bye(201);
	bye(200);
	expect_reason(REASON_UNSTORED_SCRIPT);
	cr_expect_str_eq(t.detail, "wrapper: starts cat: set REPRISE_WRAPPERS=/w/wrapper");
	start();
	hello(200, "/usr/bin/dash", "/w/wrapper", TOOL);
	ev(200, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_SH, SCRIPT_FILE), "/w/wrapper", "");
	run(201, "/usr/bin/as", 200);
	ev(201, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_OTHER, SCRIPT_READS_STDIN), "as", "");
	bye(201);
	bye(200);
	expect_reason(REASON_UNSTORED_SCRIPT);
	/* A command that the tool gives to a shell starts compilers alone, too. */
	start();
	hello(200, "/usr/bin/dash", "sh", TOOL);
	ev(200, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_SH, SCRIPT_TEXT), "/usr/bin/cat a", "");
	run(201, "/usr/bin/cat", 200);
	bye(201);
	bye(200);
	expect_reason(REASON_UNSTORED_SCRIPT);
	/* Without a script it is the compiler's own matter. */
	start();
	run(201, "/usr/bin/as", TOOL);
	ev(201, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_OTHER, SCRIPT_READS_STDIN), "as", "");
	bye(201);
	expect_reason(REASON_NONE);
	cr_expect_eq(t.script_count, 0);
}

/* The fixture declares /opt/declared and /opt/more/ with a star. A compiler below is no part. */
Test(tree_process, a_declared_wrapper)
{
	hello(200, "/usr/bin/python3.11", "/opt/declared", TOOL);
	ev(200, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_OTHER, SCRIPT_FILE), "/opt/declared", "");
	ev(200, TRACE_CHANCE, 0, CHANCE_RANDOM, "getrandom", "");
	ev(200, TRACE_PRESENT, 0, S_IFREG, "/w/looked", "");
	ev(200, TRACE_READ, 0, 0, "/proc/net/if_inet6", "");
	run(201, "/usr/bin/sed", 200);
	ev(201, TRACE_CLOCK, 0, 1, "", "");
	bye(201);
	run(202, "/usr/bin/as", 200);
	ev(202, TRACE_PRESENT, 0, S_IFREG, "/w/other", "");
	bye(202);
	bye(200);
	expect_reason(REASON_NONE);
	cr_assert_eq(t.script_count, 1);
	cr_expect_eq(t.script[0].form, (unsigned)SCRIPT_DECLARED);
	cr_expect(tree_find(&t, "/w/looked")->flags & TREE_LOOKED);
	cr_expect_not(tree_find(&t, "/w/other")->flags & TREE_LOOKED);
	start(); /* a program, and a compiler below it that asks for the time */
	run(200, "/opt/more/as", TOOL);
	ev(200, TRACE_CHANCE, 0, CHANCE_TIME, "time", "");
	ev(200, TRACE_EXEC, 0, 0, "/usr/lib/gcc/cc1", "");
	run(200, "/usr/lib/gcc/cc1", TOOL);
	ev(200, TRACE_CHANCE, 0, CHANCE_TIME, "time", "");
	bye(200);
	expect_reason(REASON_UNSTORED_TIME);
	cr_assert_eq(t.script_count, 1);
	cr_expect_str_eq(t.detail, "cc1: time");
	start();
	hello(200, "/usr/bin/python3.11", "/opt/other", TOOL);
	ev(200, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_OTHER, SCRIPT_FILE), "/opt/other", "");
	bye(200);
	expect_reason(REASON_UNSTORED_SCRIPT);
	cr_expect_str_eq(t.detail, "other: not a shell script: set REPRISE_WRAPPERS=/opt/other");
}

/* bash opens the terminal at each start. A redirection creates. */
Test(tree_process, bash_and_its_terminal)
{
	run(200, "/usr/bin/bash", TOOL);
	ev(200, TRACE_UPDATE, 0, 0, "/dev/tty", "");
	bye(200);
	expect_reason(REASON_NONE);
	start();
	run(200, "/usr/bin/bash", TOOL);
	ev(200, TRACE_READ, 0, 0, "/dev/tty", "");
	bye(200);
	expect_reason(REASON_UNSTORED_TERMINAL);
	start();
	ev(TOOL, TRACE_UPDATE, 0, 0, "/dev/tty", "");
	expect_reason(REASON_UNSTORED_TERMINAL);
}

static enum reason below_lto_wrapper(const char *exe)
{
	start();
	hello(200, LTO_WRAPPER, "lto-wrapper", TOOL);
	interpreter(201, exe, exe, 200);
	bye(200);
	return ended();
}

Test(tree_process, make_only_below_lto_wrapper)
{
	cr_expect_eq(below_lto_wrapper("/usr/bin/make"), REASON_NONE);
	cr_expect_eq(below_lto_wrapper("/usr/bin/perl"), REASON_UNSTORED_SCRIPT);
	/* A line of its makefile. */
	start();
	hello(200, LTO_WRAPPER, "lto-wrapper", TOOL);
	hello(201, "/usr/bin/make", "make", 200);
	ev(201, TRACE_SCRIPT, 0, 0, "make", "");
	hello(202, "/usr/bin/dash", "/bin/sh", 201);
	ev(202, TRACE_SCRIPT, 0, SCRIPT_ARG(SCRIPT_SH, SCRIPT_TEXT), "touch a >/dev/null", "");
	bye(202);
	bye(201);
	bye(200);
	expect_reason(REASON_NONE);
	cr_expect_eq(t.script_count, 0);
	start();
	interpreter(201, "/usr/bin/make", "/usr/bin/make", TOOL);
	expect_reason(REASON_UNSTORED_SCRIPT);
}

/* The launcher's own cache would be among the inputs and outputs of the parent action. */
Test(tree_process, a_launcher_below_is_refused)
{
	ev(200, TRACE_EXEC, 0, 0, "/usr/lib/ccache/g++", "");
	hello(200, "/usr/bin/ccache", "/usr/lib/ccache/g++", TOOL);
	bye(200);
	expect_reason(REASON_UNSTORED_STEP);
	cr_expect_str_eq(t.detail, "ccache");
}
