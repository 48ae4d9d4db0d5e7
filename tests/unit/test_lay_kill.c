/* Units and processes: a kill at each system call, many processes at once, threads of one
 * process. */
#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>

#include "lay_fixture.h"
#include "shim/kernel/sys.h"
#include "units/find/stage.h"

TestSuite(lay_kill, .init = lay_setup, .fini = lay_teardown);

/* Runs f in a child and kills it at its n-th system call. 1: it was killed; 0: it ended before. */
static int killed_at(int n, void (*f)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		raise(SIGSTOP);
		f();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	/* Each call stops twice: when it enters and when it returns. */
	for (int i = 0; i < 2 * n - 1 && WIFSTOPPED(status); i++) {
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		waitpid(pid, &status, 0);
	}
	if (WIFSTOPPED(status)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return 1;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		cr_skip_test("no ptrace here");
	cr_expect_eq(status, 0);
	return 0;
}

static void lay_kernel(void)
{
	lay(&kernel, UNIT_WHOLE, scratch("c/KEY"));
}

static void lay_member(void)
{
	struct parcel p = single("m", "member", 0644, 0);

	lay(&p, UNIT_SET, scratch("c/set"));
}

static void lay_other_member(void)
{
	struct parcel p = single("n", "other", 0644, 0);

	lay(&p, UNIT_SET, scratch("c/set"));
}

static void lay_file(void)
{
	struct parcel p = single("f", "file", 0644, 0);

	lay(&p, UNIT_FILE, scratch("c/f"));
}

/* The names that other processes see: those without a dot before them. */
static const char *visible(const char *dir)
{
	const char *all = names_in(dir);

	if (strncmp(all, ".reprise-", 9) != 0)
		return all;
	return strchr(all, ' ') ? strchr(all, ' ') + 1 : "";
}

/* nftw would take overlayfs's files for those of another mount. */
static void start_over(void)
{
	char command[512];

	snprintf(command, sizeof command, "rm -rf %s", scratch("c"));
	cr_assert_eq(system(command), 0);
}

static void kill_everywhere(void (*f)(void), void (*check)(void))
{
	int n = 0;

	while (killed_at(++n, f)) {
		check();
		start_over();
		cr_assert_lt(n, 1000);
	}
	check();
	cr_expect_gt(n, 15, "system calls, or little was tested: %d", n);
}

static int nothing_visible(void)
{
	const char *names = visible(scratch("c"));

	return !*names || strcmp(names, "(none)") == 0;
}

static void whole_or_nothing(void)
{
	if (strcmp(visible(scratch("c")), "KEY") == 0)
		expect_kernel(scratch("c/KEY"));
	else
		cr_expect(nothing_visible(), "%s", visible(scratch("c")));
}

static void member_or_nothing(void)
{
	if (strcmp(visible(scratch("c")), "set") == 0) {
		cr_expect_str_eq(names_in(scratch("c/set")), "m");
		cr_expect_str_eq(text_of(scratch("c/set/m")), "member");
	} else {
		cr_expect(nothing_visible(), "%s", visible(scratch("c")));
	}
}

static void file_or_nothing(void)
{
	if (strcmp(visible(scratch("c")), "f") == 0)
		cr_expect_str_eq(text_of(scratch("c/f")), "file");
	else
		cr_expect(nothing_visible(), "%s", visible(scratch("c")));
}

Test(lay_kill, a_kernel_is_whole_or_not_there) { kill_everywhere(lay_kernel, whole_or_nothing); }
Test(lay_kill, a_set_begins_with_its_member) { kill_everywhere(lay_member, member_or_nothing); }
Test(lay_kill, a_file_is_whole_or_not_there) { kill_everywhere(lay_file, file_or_nothing); }

Test(lay_kill, a_set_that_was_there_keeps_what_it_had)
{
	int n = 0, killed;

	do {
		start_over();
		lay_member();
		killed = killed_at(++n, lay_other_member);
		cr_expect_str_eq(text_of(scratch("c/set/m")), "member");
		if (killed && strcmp(names_in(scratch("c/set")), "m") == 0)
			continue;
		cr_expect_str_eq(names_in(scratch("c/set")), "m n");
		cr_expect_str_eq(text_of(scratch("c/set/n")), "other");
	} while (killed);
	cr_expect_gt(n, 15);
}

/* Files of killed processes do not stop the next process, and are removed in time. */
Test(lay_kill, leftovers_do_not_add_up)
{
	struct stage s;
	char box[256];

	for (int i = 0; i < 5; i++)
		cr_assert(killed_at(15 + i, lay_kernel));
	cr_assert_eq(stage_begin(&s, scratch("c/KEY"), &arena), 0);
	cr_assert_eq(stage_open(&s), 0);
	snprintf(box, sizeof box, "c/%s", s.box_name);
	stage_end(&s);
	cr_expect_neq(names_in(scratch(box))[0], '\0',
	              "something was left, or the test shows nothing");
	char command[512];
	snprintf(command, sizeof command, "touch -d '20 minutes ago' %s/*", scratch(box));
	cr_assert_eq(system(command), 0);
	lay_kernel();
	expect_kernel(scratch("c/KEY"));
	cr_expect_str_eq(names_in(scratch("c")), "KEY");
}

/* --- many at once ----------------------------------------------------------------------------- */

enum { LAYERS = 8, ROUNDS = 40 };

/* Waits until the parent closes the other end of the pipe. */
static void together(int fd)
{
	char c;

	while (read(fd, &c, 1) < 0)
		;
}

Test(lay_kill, eight_processes_at_one_unit_before_a_reader)
{
	int laid = 0, status;

	for (int round = 0; round < ROUNDS; round++) {
		int gate[2];
		pid_t pid[LAYERS];
		char unit[32];

		snprintf(unit, sizeof unit, "c/KEY%d", round);
		cr_assert_eq(pipe(gate), 0);
		for (int i = 0; i < LAYERS; i++)
			if ((pid[i] = fork()) == 0) {
				close(gate[1]);
				together(gate[0]);
				_exit(lay(&kernel, UNIT_WHOLE, scratch(unit)));
			}
		close(gate[0]);
		close(gate[1]);
		/* A reader sees none or all three files. */
		for (int i = 0; i < 200; i++) {
			const char *names = names_in(scratch(unit));
			if (strcmp(names, "(none)") != 0) {
				cr_assert_str_eq(names, "__grp__k.json k.json k.ptx");
				break;
			}
			usleep(100);
		}
		for (int i = 0; i < LAYERS; i++) {
			waitpid(pid[i], &status, 0);
			cr_expect(WIFEXITED(status) && WEXITSTATUS(status) <= LAY_THERE,
			          "round %d: %x", round, status);
			laid += status == 0;
		}
		expect_kernel(scratch(unit));
	}
	cr_expect_eq(laid, ROUNDS, "one a round");
	cr_expect_neq(names_in(scratch("c"))[0], '.', "no box stays");
}

static struct parcel member_of(int i)
{
	static char name[LAYERS][8], text[LAYERS][20000];
	static struct parcel_file file[LAYERS];

	snprintf(name[i], sizeof name[i], "m%d", i);
	memset(text[i], 'a' + i, sizeof text[i]);
	file[i] = (struct parcel_file){.name = name[i], .mode = 0644,
	                               .data = (unsigned char *)text[i],
	                               .len = sizeof text[i]};
	return (struct parcel){.class = UNIT_FXGRAPH, .note = "", .file = &file[i], .files = 1};
}

struct job {
	int number;
	const char *path;
	enum lay_status status;
};

static void *lay_in_thread(void *arg)
{
	struct job *j = arg;
	struct arena mine = ARENA_INIT;
	struct fault why = {0};
	struct parcel p = member_of(j->number);

	j->status = lay_parcel(&p, UNIT_SET, j->path, &mine, &why);
	arena_free(&mine);
	return NULL;
}

/* Each thread lays another member of an absent set: no member is lost. */
Test(lay_kill, threads_that_begin_a_set_together)
{
	for (int round = 0; round < ROUNDS; round++) {
		pthread_t t[LAYERS];
		struct job job[LAYERS];
		char set[32], path[256];

		snprintf(set, sizeof set, "c/set%d", round);
		snprintf(path, sizeof path, "%s", scratch(set));
		for (int i = 0; i < LAYERS; i++) {
			job[i] = (struct job){i, path, LAY_FAULT};
			cr_assert_eq(pthread_create(&t[i], NULL, lay_in_thread, &job[i]), 0);
		}
		for (int i = 0; i < LAYERS; i++) {
			pthread_join(t[i], NULL);
			cr_expect_eq(job[i].status, LAY_LAID, "round %d, thread %d", round, i);
		}
		cr_expect_str_eq(names_in(path), "m0 m1 m2 m3 m4 m5 m6 m7");
	}
	cr_expect_neq(names_in(scratch("c"))[0], '.');
}
