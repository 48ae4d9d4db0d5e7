/* What a trace is read as: every rule of action/tree.h, on traces laid out here byte by byte from the
 * table in shim/trace.h, not by its writers. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "action/tree.h"
#include "shim/trace.h"

#define TOOL 100u /* pid of the recorded tool */

static struct arena arena;
static struct tree t;
static unsigned char trace[4 << 20];
static size_t used;

static void put_u32(size_t at, uint32_t v)
{
	memcpy(trace + at, &v, sizeof v);
}

static void head(uint64_t tail)
{
	static const uint64_t backed = sizeof trace;

	memcpy(trace, TRACE_MAGIC, 8);
	memcpy(trace + 8, &tail, sizeof tail);
	memcpy(trace + 16, &backed, sizeof backed);
}

/* One record with texts of any bytes; where it stands. */
static size_t record(uint32_t pid, unsigned op, unsigned flags, uint32_t arg, const char *a, size_t a_len,
                     const char *b, size_t b_len)
{
	size_t at = used, len = (TRACE_RECORD_HEAD + a_len + 1 + b_len + 1 + 7) & ~(size_t)7;

	cr_assert(at + len <= sizeof trace);
	memset(trace + at, 0, len);
	put_u32(at, (uint32_t)len);
	trace[at + 4] = (unsigned char)op;
	trace[at + 5] = (unsigned char)(op >> 8);
	trace[at + 6] = (unsigned char)flags;
	trace[at + 7] = (unsigned char)(flags >> 8);
	put_u32(at + 8, pid);
	put_u32(at + 12, arg);
	put_u32(at + 16, (uint32_t)a_len);
	put_u32(at + 20, (uint32_t)b_len);
	memcpy(trace + at + TRACE_RECORD_HEAD, a, a_len);
	memcpy(trace + at + TRACE_RECORD_HEAD + a_len + 1, b, b_len);
	used += len;
	head(used);
	return at;
}

static size_t ev(uint32_t pid, unsigned op, unsigned flags, uint32_t arg, const char *a, const char *b)
{
	return record(pid, op, flags, arg, a, strlen(a), b, strlen(b));
}

/* By the tool, about one path. */
static size_t on(unsigned op, const char *path)
{
	return ev(TOOL, op, 0, 0, path, "");
}

static void hello(uint32_t pid, const char *exe, const char *called, uint32_t parent)
{
	ev(pid, TRACE_HELLO, 0, parent, exe, called);
}

static void bye(uint32_t pid)
{
	ev(pid, TRACE_BYE, 0, 0, "", "");
}

static void start(void)
{
	arena = (struct arena)ARENA_INIT;
	memset(trace, 0, sizeof trace);
	used = TRACE_HEAD;
	hello(TOOL, "/usr/bin/gcc-12", "/usr/bin/gcc", 1);
}

static void stop(void)
{
	arena_free(&arena);
}

/* As the trace stands. */
static enum reason outcome(void)
{
	tree_read(&t, trace, used, TOOL, &arena);
	return t.reason;
}

static enum reason ended(void)
{
	bye(TOOL);
	return outcome();
}

static unsigned flags_of(const char *path)
{
	const struct tree_file *f = tree_find(&t, path);

	cr_assert(f, "%s is not in the tree", path);
	return f->flags & ~(unsigned)(TREE_RELATIVE | TREE_ABSOLUTE);
}

static void expect_reason(enum reason want)
{
	enum reason got = ended();

	cr_expect_eq(got, want, "got %s, want %s", reason_rows[got].name, reason_rows[want].name);
}

static void expect_flags(const char *path, unsigned want)
{
	unsigned got = flags_of(path);

	cr_expect_eq(got, want, "%s: flags %#x, want %#x", path, got, want);
}

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
	expect_flags("/o/a.o", TREE_MADE);
	cr_expect_str_eq(tree_find(&t, "/o/a.o")->program, "gcc-12");
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
	/* What the second writer found was the tree's own. */
	expect_flags("/tmp/ccAbcdef.s", TREE_MADE | TREE_GONE);
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
	on(TRACE_ABSENT, "/a.o"); /* of the tree's own doing */
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
	ev(200, TRACE_EXEC, 0, 0, "/bin2/as", "");
	hello(200, "/bin2/as", "/bin2/as", TOOL);
	bye(200);
	expect_reason(REASON_NONE);
	expect_flags("/bin1/as", TREE_ABSENT);
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
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_EXISTED, S_IFREG | 0666, "/w/a", ""); /* it is there by now */
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_EXISTED, (S_IFREG | 0600u) << 16 | S_IFREG | 0666, "/w/b", "");
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
	cr_expect(f->made_mode == ((S_IFREG | 0600u) << 16 | S_IFREG | 0666) && !(f->flags & TREE_CHMOD));
	f = tree_find(&t, "/w/c");
	cr_expect(f->made_mode == (S_IFREG | 0600) && f->flags & TREE_CHMOD);
	f = tree_find(&t, "/w/d");
	cr_expect(f->made_mode == (S_IFREG | 0604) && !(f->flags & TREE_CHMOD), "the second of its name");
}

Test(tree, probes)
{
	ev(TOOL, TRACE_PRESENT, 0, S_IFDIR | 0755, "/usr", "");
	ev(TOOL, TRACE_STAT, TRACE_FLAG_NOFOLLOW, S_IFLNK | 0777, "/l", "");
	ev(TOOL, TRACE_FAILED, 0, EISDIR, "/dir", "");
	ev(TOOL, TRACE_FAILED, 0, EACCES, "/secret", "");
	on(TRACE_LIST, "/usr/include");
	expect_reason(REASON_NONE);
	expect_flags("/usr", TREE_PRESENT);
	cr_expect_eq(tree_find(&t, "/usr")->mode, S_IFDIR | 0755);
	expect_flags("/l", TREE_PRESENT | TREE_STAT | TREE_NOFOLLOW);
	expect_flags("/dir", TREE_PRESENT);
	expect_flags("/secret", TREE_PRESENT | TREE_DENIED);
	expect_flags("/usr/include", TREE_LISTED);
}

Test(tree, answers_about_links_are_kept_apart)
{
	ev(TOOL, TRACE_READLINK, TRACE_FLAG_NOFOLLOW, 0, "/a", "b");
	ev(TOOL, TRACE_REALPATH, 0, 0, "/a", "/c");
	ev(TOOL, TRACE_READLINK, TRACE_FLAG_NOFOLLOW, 0, "/a", "later");
	expect_reason(REASON_NONE);
	expect_flags("/a", TREE_LINK | TREE_REAL);
	cr_expect_str_eq(tree_find(&t, "/a")->text, "b");
	cr_expect_str_eq(tree_find(&t, "/a")->real, "/c");
}

Test(tree, renames)
{
	on(TRACE_TEMP, "/o/a-123456.o.tmp");
	ev(TOOL, TRACE_RENAME, 0, 0, "/o/a-123456.o.tmp", "/o/a.o");
	expect_reason(REASON_NONE);
	expect_flags("/o/a-123456.o.tmp", TREE_MADE | TREE_GONE);
	expect_flags("/o/a.o", TREE_MADE | TREE_RENAMED);
	cr_expect_str_eq(tree_find(&t, "/o/a.o")->program, "gcc-12");
}

Test(tree, a_rename_over_what_was_read_is_refused)
{
	on(TRACE_READ, "/a.o");
	on(TRACE_TEMP, "/t");
	ev(TOOL, TRACE_RENAME, 0, 0, "/t", "/a.o");
	expect_reason(REASON_UNSTORED_READ_WRITE);
}

Test(tree, a_rename_of_what_was_there_is_refused)
{
	ev(TOOL, TRACE_RENAME, 0, 0, "/old", "/new");
	expect_reason(REASON_UNSTORED_OUTPUT);
	start();
	on(TRACE_MKDIR, "/d");
	ev(TOOL, TRACE_RENAME, 0, 0, "/d", "/e");
	expect_reason(REASON_UNSTORED_OUTPUT);
}

Test(tree, a_rename_onto_itself_does_nothing)
{
	on(TRACE_WRITE, "/a");
	ev(TOOL, TRACE_RENAME, 0, 0, "/a", "//a");
	expect_reason(REASON_NONE);
	expect_flags("/a", TREE_MADE);
}

Test(tree, renamed_away_after_it_was_truncated)
{
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_EXISTED, 0, "/a", "");
	ev(TOOL, TRACE_RENAME, 0, 0, "/a", "/b");
	expect_reason(REASON_NONE);
	cr_expect(flags_of("/a") & TREE_UNLINKED, "the old file went with it");
}

Test(tree, hard_links_of_own_files_only)
{
	on(TRACE_WRITE, "/a");
	ev(TOOL, TRACE_LINK, 0, 0, "/a", "/b");
	expect_reason(REASON_NONE);
	expect_flags("/b", TREE_MADE);
	start();
	ev(TOOL, TRACE_LINK, 0, 0, "/old", "/b");
	expect_reason(REASON_UNSTORED_OUTPUT);
}

Test(tree, symbolic_links_are_refused)
{
	ev(TOOL, TRACE_LINK, TRACE_FLAG_SYMBOLIC, 0, "/etc/passwd", "/l");
	on(TRACE_READ, "/l");
	on(TRACE_UNLINK, "/l");
	expect_reason(REASON_UNSTORED_OUTPUT);
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

Test(tree, spellings_are_one_path)
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

Test(tree, both_sides_of_a_pair_have_their_spelling)
{
	ev(TOOL, TRACE_WRITE, TRACE_FLAG_RELATIVE, 0, "/w/t", "");
	ev(TOOL, TRACE_RENAME, TRACE_FLAG_RELATIVE, 0, "/w/t", "/abs/a.o");
	expect_reason(REASON_NONE);
	cr_expect_eq(tree_find(&t, "/w/t")->flags & (TREE_RELATIVE | TREE_ABSOLUTE), TREE_RELATIVE);
	cr_expect_eq(tree_find(&t, "/abs/a.o")->flags & (TREE_RELATIVE | TREE_ABSOLUTE), TREE_ABSOLUTE);
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
		cr_expect_eq(tree_find(&t, path)->first, (uint64_t)i + 1);
	}
}

/* Kernel files. */

Test(tree, kernel_files_that_say_nothing)
{
	static const char *const harmless[] = {
		"/dev/null", "/dev/urandom", "/proc/cpuinfo", "/proc/self/exe", "/proc/self/maps",
		"/proc/self", "/proc/thread-self/status", "/sys/devices/system/cpu/online"};

	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		on(TRACE_READ, harmless[i]);
	on(TRACE_WRITE, "/dev/null");
	on(TRACE_STAT, "/dev/sda");
	on(TRACE_ABSENT, "/sys/nothing");
	expect_reason(REASON_NONE);
	cr_expect_eq(t.count, 1, "only the program");
}

Test(tree, kernel_files_that_may_say_anything)
{
	static const struct {
		const char *path;
		enum reason reason;
	} row[] = {
		{"/dev/tty", REASON_UNSTORED_TERMINAL},      {"/dev/pts/3", REASON_UNSTORED_TERMINAL},
		{"/dev/stdin", REASON_UNSTORED_DEVICE},      {"/dev/fd/7", REASON_UNSTORED_DEVICE},
		{"/proc/self/fd/0", REASON_UNSTORED_DEVICE}, {"/proc/self/environ", REASON_UNSTORED_DEVICE},
		{"/proc/uptime", REASON_UNSTORED_DEVICE},    {"/proc/self/task/7/fd/1", REASON_UNSTORED_DEVICE},
		{"/proc/1/status", REASON_UNSTORED_DEVICE},  {"/sys/class/dmi/id", REASON_UNSTORED_DEVICE},
		{"/proc/self/mapsx", REASON_UNSTORED_DEVICE}};
	static const enum trace_op ops[] = {TRACE_READ, TRACE_WRITE, TRACE_UPDATE, TRACE_LOADED};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
			start();
			on(ops[k], row[i].path);
			cr_expect_eq(ended(), row[i].reason, "%s", row[i].path);
			stop();
		}
}

Test(tree, names_like_kernel_files_are_files)
{
	on(TRACE_READ, "/device/x");
	on(TRACE_READ, "/dev/shm/x.h");
	on(TRACE_READ, "/proc/self/cwd/x.h");
	on(TRACE_READ, "/proc/self/root/x.h");
	on(TRACE_READ, "/process");
	expect_reason(REASON_NONE);
	expect_flags("/device/x", TREE_READ);
	expect_flags("/dev/shm/x.h", TREE_READ);
	expect_flags("/proc/self/cwd/x.h", TREE_READ);
	expect_flags("/proc/self/root/x.h", TREE_READ);
	expect_flags("/process", TREE_READ);
}

/* Processes. */

Test(tree, the_program_is_an_input)
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

Test(tree, a_program_that_could_not_be_started)
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

/* What stood behind a path is told when it is opened, and of a program by itself. */
Test(tree, a_path_that_leads_to_another_file)
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
	start(); /* what the tree makes may be another each time */
	ev(TOOL, TRACE_WRITE, 0, 0, "/w/t", "");
	ev(TOOL, TRACE_READ, 0, 7, "/w/t", "");
	on(TRACE_UNLINK, "/w/t");
	ev(TOOL, TRACE_WRITE, 0, 0, "/w/t", "");
	ev(TOOL, TRACE_READ, 0, 8, "/w/t", "");
	expect_reason(REASON_NONE);
}

static void program(uint32_t pid, const char *exe, const char *called, uint32_t parent, uint32_t identity)
{
	hello(pid, exe, called, parent);
	ev(pid, TRACE_PROGRAM, 0, identity, exe, "");
}

Test(tree, a_program_is_the_file_that_ran)
{
	ev(200, TRACE_EXEC, 0, 0, "/bin/as", ""); /* exec: its own pid */
	program(200, "/usr/bin/real-as", "/bin/as", TOOL, 7);
	ev(200, TRACE_EXEC, 0, 0, "/bin/next", ""); /* in its place */
	program(200, "/bin/next", "/bin/next", TOOL, 8);
	bye(200);
	program(201, "/bin/spawned", "/bin/spawned", TOOL, 9); /* spawn: before its parent can tell */
	bye(201);
	ev(TOOL, TRACE_SPAWN, 0, 201, "/bin/spawned", "");
	ev(TOOL, TRACE_SPAWN, 0, 202, "/bin/later", ""); /* and after */
	program(202, "/bin/later", "/bin/later", TOOL, 10);
	bye(202);
	hello(203, "/bin/amid", "/bin/amid", TOOL); /* and between */
	ev(TOOL, TRACE_SPAWN, 0, 203, "/bin/amid", "");
	ev(203, TRACE_PROGRAM, 0, 11, "/bin/amid", "");
	bye(203);
	expect_reason(REASON_NONE);
	cr_expect_eq(tree_find(&t, "/bin/as")->identity, 7);
	cr_expect_eq(tree_find(&t, "/usr/bin/real-as")->identity, 7);
	cr_expect_eq(tree_find(&t, "/bin/next")->identity, 8);
	cr_expect_eq(tree_find(&t, "/bin/spawned")->identity, 9);
	cr_expect_eq(tree_find(&t, "/bin/later")->identity, 10);
	cr_expect_eq(tree_find(&t, "/bin/amid")->identity, 11);
	start(); /* two starts of one path, two programs */
	ev(200, TRACE_EXEC, 0, 0, "/bin/as", "");
	program(200, "/opt/1/as", "/bin/as", TOOL, 7);
	bye(200);
	ev(201, TRACE_EXEC, 0, 0, "/bin/as", "");
	program(201, "/opt/2/as", "/bin/as", TOOL, 8);
	bye(201);
	expect_reason(REASON_UNSTORED_INPUT_CHANGED);
}

Test(tree, a_program_made_here_is_none)
{
	on(TRACE_WRITE, "/w/a.out");
	ev(200, TRACE_EXEC, 0, 0, "/w/a.out", "");
	hello(200, "/w/a.out", "/w/a.out", TOOL);
	bye(200);
	expect_reason(REASON_NONE);
	expect_flags("/w/a.out", TREE_MADE);
}

Test(tree, who_made_a_file)
{
	ev(200, TRACE_EXEC, 0, 0, "/usr/bin/as", "");
	hello(200, "/usr/bin/as", "/usr/bin/as", TOOL);
	ev(200, TRACE_WRITE, 0, 0, "/a.o", "");
	bye(200);
	expect_reason(REASON_NONE);
	cr_expect_str_eq(tree_find(&t, "/a.o")->program, "as");
}

Test(tree, the_tool_must_report)
{
	used = TRACE_HEAD;
	head(used);
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
	/* Another's hello is not its own. */
	hello(TOOL + 1, "/usr/bin/gcc", "/usr/bin/gcc", 1);
	bye(TOOL + 1);
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
}

Test(tree, the_tool_must_end_orderly)
{
	cr_expect_eq(outcome(), REASON_UNSTORED_ALIVE);
	cr_expect_eq(ended(), REASON_NONE);
}

Test(tree, a_started_program_must_report)
{
	ev(200, TRACE_EXEC, 0, 0, "/static", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
	start();
	ev(TOOL, TRACE_SPAWN, 0, 200, "/static", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
	/* It may have been faster than the one who wrote down its start. */
	start();
	hello(200, "/bin/as", "/bin/as", TOOL);
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/as", "");
	bye(200);
	expect_reason(REASON_NONE);
	/* A process that reported and became a static program. */
	start();
	hello(200, "/bin/sh", "/bin/sh", TOOL);
	ev(200, TRACE_EXEC, 0, 0, "/static", "");
	bye(200);
	expect_reason(REASON_UNSTORED_UNTRACED);
}

Test(tree, a_start_that_failed_needs_no_report)
{
	ev(200, TRACE_EXEC, 0, 0, "/x", "");
	ev(200, TRACE_EXEC_FAILED, 0, EACCES, "/x", "");
	expect_reason(REASON_NONE);
}

Test(tree, a_program_that_goes_on_as_another)
{
	ev(TOOL, TRACE_EXEC, 0, 0, "/usr/bin/gcc-13", "");
	hello(TOOL, "/usr/bin/gcc-13", "/usr/bin/gcc-13", 1);
	expect_reason(REASON_NONE);
}

Test(tree, a_child_must_end_orderly)
{
	ev(200, TRACE_EXEC, 0, 0, "/bin/as", "");
	hello(200, "/bin/as", "/bin/as", TOOL);
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

Test(tree, a_reused_pid_is_another_process)
{
	ev(200, TRACE_EXEC, 0, 0, "/bin/as", "");
	hello(200, "/bin/as", "/bin/as", TOOL);
	bye(200);
	ev(200, TRACE_EXEC, 0, 0, "/bin/ld", "");
	hello(200, "/bin/ld", "/bin/ld", TOOL);
	expect_reason(REASON_UNSTORED_ALIVE);
}

Test(tree, a_spawned_program_must_report_though_its_pid_was_anothers)
{
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/as", "");
	hello(200, "/bin/as", "/bin/as", TOOL);
	bye(200);
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/static", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
	start(); /* one that reported before its SPAWN came does not stand for the next */
	hello(200, "/bin/as", "/bin/as", TOOL);
	bye(200);
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/as", "");
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/static", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
	start(); /* nor does a shell of system(3) */
	ev(TOOL, TRACE_SYSTEM, 0, 0, "/bin/sh", "");
	hello(200, "/usr/bin/dash", "/bin/sh", TOOL);
	bye(200);
	ev(TOOL, TRACE_SPAWN, 0, 200, "/bin/static", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
}

/* A linear search would look at 5,000 * 5,000 / 2 processes for each of their events. */
Test(tree, thousands_of_children)
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

/* A vfork child shares its parent's idea of the pid in all but what starts a program. */
Test(tree, a_vfork_child_is_its_parent)
{
	ev(TOOL, TRACE_ABSENT, 0, 0, "/bin1/as", "");
	ev(200, TRACE_EXEC, 0, 0, "/bin2/as", "");
	hello(200, "/bin2/as", "/bin2/as", TOOL);
	bye(200);
	expect_reason(REASON_NONE);
}

Test(tree, system_starts_a_shell_that_must_report)
{
	ev(TOOL, TRACE_SYSTEM, 0, 0, "/bin/sh", "");
	expect_reason(REASON_UNSTORED_UNTRACED);
	start();
	ev(TOOL, TRACE_SYSTEM, 0, 0, "/bin/sh", "");
	hello(200, "/usr/bin/dash", "/bin/sh", TOOL);
	bye(200);
	expect_reason(REASON_NONE);
	/* Another child's hello is not the shell's, nor is another's shell ours. */
	start();
	ev(TOOL, TRACE_SYSTEM, 0, 0, "/bin/sh", "");
	ev(200, TRACE_EXEC, 0, 0, "/usr/bin/as", "");
	hello(200, "/usr/bin/as", "/usr/bin/as", TOOL);
	hello(201, "/usr/bin/dash", "/bin/sh", 200);
	bye(200);
	bye(201);
	expect_reason(REASON_UNSTORED_UNTRACED);
}

Test(tree, scripts)
{
	ev(200, TRACE_EXEC, 0, 0, "/w/wrapper", "");
	hello(200, "/usr/bin/dash", "/w/wrapper", TOOL);
	ev(200, TRACE_SCRIPT, 0, 0, "dash", "");
	bye(200);
	expect_reason(REASON_UNSTORED_SCRIPT);
	cr_expect_str_eq(t.detail, "dash");
}

Test(tree, make_only_below_lto_wrapper)
{
	hello(200, "/usr/lib/gcc/x86_64-linux-gnu/12/lto-wrapper", "lto-wrapper", TOOL);
	hello(201, "/usr/bin/make", "/usr/bin/make", 200);
	ev(201, TRACE_SCRIPT, 0, 0, "make", "");
	bye(201);
	bye(200);
	expect_reason(REASON_NONE);
	start();
	hello(201, "/usr/bin/make", "/usr/bin/make", TOOL);
	ev(201, TRACE_SCRIPT, 0, 0, "make", "");
	bye(201);
	expect_reason(REASON_UNSTORED_SCRIPT);
	start();
	hello(200, "/usr/lib/gcc/x86_64-linux-gnu/12/lto-wrapper", "lto-wrapper", TOOL);
	hello(201, "/usr/bin/perl", "/usr/bin/perl", 200);
	ev(201, TRACE_SCRIPT, 0, 0, "perl", "");
	bye(201);
	bye(200);
	expect_reason(REASON_UNSTORED_SCRIPT);
}

static enum reason clock_of(const char *exe, uint32_t local)
{
	enum reason reason;

	start();
	hello(200, exe, exe, TOOL);
	ev(200, TRACE_CLOCK, 0, local, "", "");
	bye(200);
	reason = ended();
	stop();
	return reason;
}

Test(tree, local_time_by_who_asks)
{
	cr_expect_eq(clock_of("/usr/lib/gcc/x86_64-linux-gnu/12/cc1", 1), REASON_UNSTORED_TIME);
	cr_expect_eq(clock_of("/usr/bin/clang-14", 1), REASON_UNSTORED_TIME);
	cr_expect_eq(clock_of("/usr/bin/x86_64-linux-gnu-as", 1), REASON_UNSTORED_TIME);
	cr_expect_eq(clock_of("/usr/bin/nobody-knows", 1), REASON_UNSTORED_TIME);
	cr_expect_eq(clock_of("/usr/local/cuda/bin/ptxas", 1), REASON_NONE, "always asks");
	/* Universal time is SOURCE_DATE_EPOCH's, which is keyed. */
	cr_expect_eq(clock_of("/usr/lib/gcc/x86_64-linux-gnu/12/cc1", 0), REASON_NONE);
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

Test(tree, variables_by_the_first_question)
{
	ev(TOOL, TRACE_GETENV, 0, 0, "CPATH", "/inc");
	ev(TOOL, TRACE_GETENV, TRACE_FLAG_UNSET, 0, "CPATH", "");
	ev(TOOL, TRACE_GETENV, TRACE_FLAG_UNSET, 0, "LPATH", "");
	ev(TOOL, TRACE_GETENV, 0, 0, "EMPTY", "");
	for (int i = 0; i < 200; i++) {
		char name[16];

		snprintf(name, sizeof name, "V%d", i);
		ev(TOOL, TRACE_GETENV, 0, 0, name, name);
	}
	expect_reason(REASON_NONE);
	cr_assert_eq(t.env_count, 203);
	cr_expect_str_eq(t.env[0].name, "CPATH");
	cr_expect_str_eq(t.env[0].value, "/inc");
	cr_expect_eq(t.env[1].value, NULL);
	cr_expect_str_eq(t.env[2].value, "");
	cr_expect_str_eq(t.env[202].value, "V199");
}

/* Damage. */

Test(tree, no_trace_at_all)
{
	tree_read(&t, "", 0, TOOL, &arena);
	cr_expect_eq(t.reason, REASON_UNSTORED_TRACE);
	trace[7] = '2';
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE, "another version");
	head(used);
	for (size_t n = 0; n < TRACE_HEAD; n++) {
		tree_read(&t, trace, n, TOOL, &arena);
		cr_expect_eq(t.reason, REASON_UNSTORED_TRACE);
	}
}

Test(tree, overflow)
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

Test(tree, a_hole)
{
	size_t at = on(TRACE_READ, "/a");

	bye(TOOL);
	put_u32(at, 0);
	cr_expect_eq(outcome(), REASON_UNSTORED_TRACE);
}

Test(tree, torn_lengths)
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

Test(tree, cut_in_the_middle)
{
	on(TRACE_READ, "/a");
	ev(TOOL, TRACE_RENAME, 0, 0, "/x", "/y");
	bye(TOOL);
	for (size_t n = TRACE_HEAD; n < used; n++) {
		size_t whole = used;

		head(n);
		tree_read(&t, trace, n, TOOL, &arena);
		cr_expect_neq(t.reason, REASON_NONE, "%zu of %zu bytes", n, whole);
	}
}

Test(tree, odd_operations)
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

Test(tree, flags_of_a_later_version_change_nothing)
{
	ev(TOOL, TRACE_READ, 0xfe00, 0, "/a", "");
	expect_reason(REASON_NONE);
	expect_flags("/a", TREE_READ);
}

Test(tree, cut_names_are_refused)
{
	ev(TOOL, TRACE_READ, TRACE_FLAG_CUT, 0, "/a", "");
	expect_reason(REASON_UNSTORED_TRACE);
	cr_expect_eq(tree_find(&t, "/a"), NULL);
}

Test(tree, names_longer_than_paths_are_refused)
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

Test(tree, bytes_behind_a_nul_are_no_name)
{
	record(TOOL, TRACE_READ, 0, 0, "/a\0b", 4, "", 0);
	expect_reason(REASON_NONE);
	expect_flags("/a", TREE_READ);
}
