/* The reading of a trace: what a program asks of the machine. Kernel files, time, random bytes. */
#include "tools/chance.h"
#include "tools/chance.h"
#include "tree_fixture.h"

TestSuite(tree_machine, .init = start, .fini = stop);

Test(tree_machine, kernel_files_that_say_nothing)
{
	static const char *const harmless[] = {
		"/dev/null", "/dev/zero", "/proc/cpuinfo", "/proc/self/exe", "/proc/self/maps",
		"/proc/self", "/proc/thread-self/status", "/proc/100/exe",
		"/sys/devices/system/cpu/online"};

	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		on(TRACE_READ, harmless[i]);
	on(TRACE_WRITE, "/dev/null");
	expect_reason(REASON_NONE);
	cr_expect_eq(t.count, 1, "only the program");
}

Test(tree_machine, a_look_at_a_device_is_a_question_as_any_other)
{
	on(TRACE_STAT, "/dev/sda");
	on(TRACE_ABSENT, "/sys/nothing");
	ev(TOOL, TRACE_FAILED, 0, EACCES | TRACE_ASKED(2), "/dev/kmsg", "");
	expect_reason(REASON_NONE);
	expect_flags("/dev/sda", TREE_PRESENT | TREE_STAT);
	expect_flags("/sys/nothing", TREE_ABSENT);
	cr_expect_eq(tree_find(&t, "/dev/kmsg")->permissions, TRACE_ASKED(2));
}

Test(tree_machine, a_look_at_a_descriptor_of_the_process)
{
	static const char *const paths[] = {"/dev/fd/5", "/dev/stderr", "/proc/self/fd/5",
	                                    "/proc/17/fd/5", "/proc/self/task/7/fd/5",
	                                    "/proc/thread-self/fdinfo/5", "/dev/fd"};
	static const enum trace_op ops[] = {TRACE_STAT, TRACE_PRESENT, TRACE_ABSENT, TRACE_LIST,
	                                    TRACE_REALPATH};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
			start();
			on(ops[k], paths[i]);
			cr_expect_eq(ended(), REASON_UNSTORED_DEVICE, "%s %zu", paths[i], k);
			stop();
		}
	/* LLVM asks for the list, and for the names of files that it has opened. */
	start();
	on(TRACE_PRESENT, "/proc/self/fd");
	ev(TOOL, TRACE_READLINK, TRACE_FLAG_NOFOLLOW, 0, "/proc/self/fd/3", "/a.c");
	expect_reason(REASON_NONE);
}

Test(tree_machine, a_terminal_that_is_not_there)
{
	run(101, "/usr/bin/dash", TOOL);
	ev(101, TRACE_FAILED, TRACE_FLAG_KEEPS, ENXIO, "/dev/tty", "");
	bye(101);
	expect_reason(REASON_UNSTORED_TERMINAL);
	/* bash tries it when it starts. A redirection may make a file. */
	stop();
	start();
	run(101, "/usr/bin/bash", TOOL);
	ev(101, TRACE_FAILED, 0, ENXIO, "/dev/tty", "");
	ev(101, TRACE_UPDATE, 0, 0, "/dev/tty", "");
	bye(101);
	expect_reason(REASON_NONE);
	stop();
	start();
	run(101, "/usr/bin/bash", TOOL);
	ev(101, TRACE_UPDATE, TRACE_FLAG_KEEPS, 0, "/dev/tty", "");
	bye(101);
	expect_reason(REASON_UNSTORED_TERMINAL);
}

Test(tree_machine, no_link_is_an_answer)
{
	ev(TOOL, TRACE_STAT, TRACE_FLAG_NOFOLLOW, S_IFDIR | 0755, "/d", "");
	ev(TOOL, TRACE_ABSENT, TRACE_FLAG_NOFOLLOW, 0, "/none", "");
	ev(TOOL, TRACE_READ, TRACE_FLAG_NOFOLLOW, 7, "/f", "");
	ev(TOOL, TRACE_PRESENT, TRACE_FLAG_NOFOLLOW, 0, "/unknown", "");
	on(TRACE_STAT, "/s");
	on(TRACE_WRITE, "/o");
	ev(TOOL, TRACE_STAT, TRACE_FLAG_NOFOLLOW, S_IFREG | 0644, "/o", "");
	expect_reason(REASON_NONE);
	expect_flags("/d", TREE_PRESENT | TREE_STAT | TREE_NOT_LINK);
	expect_flags("/none", TREE_ABSENT | TREE_NOT_LINK);
	expect_flags("/f", TREE_READ | TREE_NOT_LINK);
	expect_flags("/unknown", TREE_PRESENT | TREE_NOFOLLOW);
	expect_flags("/s", TREE_PRESENT | TREE_STAT);
	expect_flags("/o", TREE_MADE);
}

Test(tree_machine, kernel_files_that_may_say_anything)
{
	static const struct {
		const char *path;
		enum reason reason;
	} row[] = {
		{"/dev/tty", REASON_UNSTORED_TERMINAL}, {"/dev/pts/3", REASON_UNSTORED_TERMINAL},
		{"/dev/stdin", REASON_UNSTORED_DEVICE},      {"/dev/fd/7", REASON_UNSTORED_DEVICE},
		{"/proc/self/fd/0", REASON_UNSTORED_DEVICE},
		{"/proc/self/environ", REASON_UNSTORED_DEVICE},
		{"/proc/uptime", REASON_UNSTORED_DEVICE},
		{"/proc/net/if_inet6", REASON_UNSTORED_DEVICE},
		{"/proc/self/task/7/fd/1", REASON_UNSTORED_DEVICE},
		{"/proc/1/status", REASON_UNSTORED_DEVICE},
		{"/sys/class/dmi/id", REASON_UNSTORED_DEVICE},
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

Test(tree_machine, names_like_kernel_files_are_files)
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

/* Records that are not about files. */

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

Test(tree_machine, local_time_by_program)
{
	cr_expect_eq(clock_of("/usr/lib/gcc/x86_64-linux-gnu/12/cc1", 1), REASON_UNSTORED_TIME);
	/* Its modules hold dates: judge_outputs() counts them. */
	cr_expect_eq(clock_of("/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", 1), REASON_NONE);
	cr_expect_eq(clock_of("/usr/bin/clang-14", 1), REASON_UNSTORED_TIME);
	cr_expect_eq(clock_of("/usr/bin/x86_64-linux-gnu-as", 1), REASON_UNSTORED_TIME);
	cr_expect_eq(clock_of("/usr/bin/nobody-knows", 1), REASON_UNSTORED_TIME);
	cr_expect_eq(clock_of("/usr/local/cuda/bin/ptxas", 1), REASON_NONE, "always asks");
	/* In universal time the date is that of SOURCE_DATE_EPOCH, which is keyed. */
	cr_expect_eq(clock_of("/usr/lib/gcc/x86_64-linux-gnu/12/cc1", 0), REASON_NONE);
}

static enum reason asks(const char *program, unsigned op, unsigned kind, const char *what)
{
	enum reason reason;

	start();
	hello(200, program, program, TOOL);
	ev(200, op, 0, kind, what, "");
	bye(200);
	reason = ended();
	stop();
	return reason;
}

Test(tree_machine, time_and_random_bytes_by_program)
{
	static const struct {
		const char *program, *what;
		unsigned kind;
		enum reason reason;
	} cases[] = {
		{"/usr/lib/gcc/cc1", "gettimeofday", CHANCE_TIME, REASON_NONE},
		{"/usr/lib/gcc/cc1", "time", CHANCE_TIME, REASON_UNSTORED_TIME},
		{"/usr/lib/gcc/cc1plus", "time", CHANCE_TIME, REASON_NONE},
		{"/usr/bin/x86_64-linux-gnu-ld.bfd", "time", CHANCE_TIME, REASON_NONE},
		{"/usr/bin/ld", "gettimeofday", CHANCE_TIME, REASON_UNSTORED_TIME},
		{"/usr/bin/ld.gold", "time", CHANCE_TIME, REASON_UNSTORED_TIME},
		{"/usr/lib/llvm/bin/lld", "arc4random", CHANCE_RANDOM, REASON_NONE},
		{"/usr/lib/llvm/bin/lld", "build-id=uuid", CHANCE_RANDOM, REASON_UNSTORED_RANDOM},
		{"/usr/lib/llvm/bin/llvm-strip", "arc4random", CHANCE_RANDOM, REASON_NONE},
		{"/usr/lib/bin/llvm-strip", "getrandom", CHANCE_RANDOM, REASON_UNSTORED_RANDOM},
		{"/home/u/mytool", "clock_gettime", CHANCE_TIME, REASON_UNSTORED_TIME},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_expect_eq(asks(cases[i].program, TRACE_CHANCE, cases[i].kind, cases[i].what),
		             cases[i].reason, "%s: %s", cases[i].program, cases[i].what);
	asks("/usr/bin/ld", TRACE_CHANCE, CHANCE_TIME, "time");
	cr_expect(t.linker_asks_time);
	asks("/usr/lib/gcc/cc1plus", TRACE_CHANCE, CHANCE_TIME, "time");
	cr_expect_not(t.linker_asks_time);
}

/* A macro in rustc. Random numbers that rustc itself draws do not count. */
static enum reason draws(const char *what, const char *library)
{
	stop();
	start();
	hello(200, "/usr/bin/rustc", "rustc", TOOL);
	ev(200, TRACE_CHANCE, 0, CHANCE_RANDOM, what, library);
	bye(200);
	return ended();
}

Test(tree_machine, random_bytes_by_library)
{
	cr_expect_eq(draws("getrandom", ""), REASON_NONE);
	cr_expect_eq(draws("getrandom", "/d/libserde_derive-1f.so"), REASON_UNSTORED_RANDOM);
	cr_expect_eq(draws(CHANCE_SEED, ""), REASON_NONE);
	cr_expect_eq(draws(CHANCE_SEED, "/d/libserde_derive-1f.so"), REASON_NONE);
	cr_expect_eq(draws(CHANCE_SEED, "/d/libserde_derive_x-1f.so"), REASON_UNSTORED_RANDOM);
	cr_expect_str_eq(t.detail, "libserde_derive_x-1f.so: seed");
	cr_expect_eq(draws(CHANCE_SEED, "?"), REASON_UNSTORED_RANDOM);
}

Test(tree_machine, numbers_that_a_program_shares_with_its_libraries)
{
	cr_expect_eq(draws(CHANCE_SHARED_SEED, "/d/libserde_derive-1f.so"), REASON_NONE);
	cr_expect(t.shared_seed);
	draws(CHANCE_SHARED_SEED, "");
	cr_expect(t.shared_seed);
	/* when it links, all macros have run */
	stop();
	start();
	hello(200, "/usr/bin/rustc", "rustc", TOOL);
	ev(200, TRACE_WRITE, 0, S_IFREG | 0644, "/d/u.o", "");
	ev(200, TRACE_CHANCE, 0, CHANCE_RANDOM, CHANCE_SHARED_SEED, "");
	bye(200);
	ended();
	cr_expect_not(t.shared_seed);
}

/* The device's bytes become the seed, and numbers become names (hooks/drawn.h). */
static void draws_names(uint32_t pid)
{
	ev(pid, TRACE_READ, 0, 0, "/dev/urandom", "");
	ev(pid, TRACE_CHANCE, 0, CHANCE_SEEDED, "0badcafe", "");
	ev(pid, TRACE_CHANCE, 0, CHANCE_DRAWN, CHANCE_DEVICE, "");
	ev(pid, TRACE_CHANCE, 0, CHANCE_NAMED, "12ab34", "");
}

Test(tree_machine, numbers_that_become_names)
{
	stop();
	start();
	hello(200, "/usr/bin/unknown", "unknown", TOOL);
	draws_names(200);
	hello(201, "/usr/bin/other", "other", 200);
	draws_names(201);
	bye(201);
	bye(200);
	cr_expect_eq(ended(), REASON_NONE);
	cr_assert_eq(t.drawn_count, 4);
	cr_expect_str_eq(t.drawn[0], "0badcafe");
	cr_expect_str_eq(t.drawn[3], "12ab34");
}

/* What each of these leaves open, nothing accounts for. */
Test(tree_machine, numbers_that_may_have_gone_anywhere)
{
	static const struct { int op; unsigned kind; const char *a; } more[] = {
		{TRACE_READ, 0, "/dev/urandom"}, {TRACE_UPDATE, 0, "/dev/random"},
		{TRACE_CHANCE, CHANCE_DRAWN, CHANCE_DEVICE},
		{TRACE_CHANCE, CHANCE_DRAWN, "arc4random"},
		{TRACE_CHANCE, CHANCE_NAMED, "12ab34"}, {TRACE_CHANCE, CHANCE_SEEDED, "00000001"},
		{TRACE_CHANCE, CHANCE_RANDOM, CHANCE_DEVICE},
		{TRACE_CHANCE, CHANCE_RANDOM, "getrandom"}};

	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		for (int program = 0; program < 2; program++) {
			stop();
			start();
			hello(200, "/usr/bin/unknown", "unknown", TOOL);
			draws_names(200);
			ev(200, (enum trace_op)more[i].op, 0, more[i].kind, more[i].a, "");
			/* Another program in its place takes nothing back. */
			if (program)
				hello(200, "/usr/bin/clang", "clang", TOOL);
			bye(200);
			cr_expect_eq(ended(), REASON_UNSTORED_RANDOM, "%zu: %s", i, more[i].a);
		}
	}
}

Test(tree_machine, a_device_of_random_bytes)
{
	cr_expect_eq(asks("/usr/lib/gcc/cc1", TRACE_READ, 0, "/dev/urandom"), REASON_NONE);
	cr_expect_eq(asks("/usr/bin/gold", TRACE_READ, 0, "/dev/urandom"), REASON_UNSTORED_RANDOM);
	cr_expect_eq(asks("/usr/bin/gold", TRACE_READ, 0, "/dev/random"), REASON_UNSTORED_RANDOM);
	cr_expect_eq(asks("/usr/bin/gold", TRACE_STAT, 0, "/dev/random"), REASON_NONE);
}
