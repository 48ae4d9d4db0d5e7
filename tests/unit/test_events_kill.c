/* A process that moves events to the store and is killed: the next mover, or clean-up, adopts what
 * it left. */
#include "store_fixture.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#include "store/job/events_read.h"

TestSuite(events_kill, .init = fixture_start, .fini = fixture_stop);

static struct events all;

static void add(int64_t start)
{
	struct event e = {.kind = EVENT_ACTION, .verdict = EVENT_HIT, .start = start, .pid = 42,
	                  .rank = EVENT_NO_RANK, .tool = "gcc", .command = "gcc -c a.c"};

	events_add(&store, "a", &e, 0);
}

/* Names of the runtime directory with a mark of movers. */
static int left(void)
{
	char path[PATH_SIZE];
	struct dirent *e;
	int n = 0;
	DIR *d;

	cr_assert_eq(events_runtime_path(path, &store, NULL), 0);
	d = opendir(path);
	while (d && (e = readdir(d)))
		n += strchr(e->d_name, '~') != NULL;
	if (d)
		closedir(d);
	return n;
}

/* The file as a mover leaves it that is killed after its first step. */
static void leave(int pid)
{
	char from[PATH_SIZE], to[PATH_SIZE + 16];

	cr_assert_eq(events_runtime_path(from, &store, "a"), 0);
	snprintf(to, sizeof to, "%s~%d", from, pid);
	cr_assert_eq(rename(from, to), 0);
}

static int dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	return pid;
}

Test(events_kill, what_a_killed_mover_left_is_adopted)
{
	add(1);
	leave(dead_pid());
	add(2);
	events_move(&store, "b"); /* of another job */
	cr_expect_eq(left(), 0);
	cr_assert_eq(events_read(&all, &store, "a", &arena), 0);
	cr_expect_eq(all.count, 2);
	cr_expect_eq(all.sums.here, EVENT_BYTES);
	leave(dead_pid());
	events_adopt(&store);
	cr_expect_eq(left(), 0);
	cr_assert_eq(events_read(&all, &store, "a", &arena), 0);
	cr_expect_eq(all.count, 2);
	cr_expect_eq(all.sums.here, 0);
	cr_expect_eq(all.sums.dropped, 0);
}

Test(events_kill, a_mover_that_lives_is_left_alone)
{
	add(1);
	leave(getppid());
	events_adopt(&store);
	cr_expect_eq(left(), 1);
}

Test(events_kill, a_file_that_is_in_the_store_already_is_there_once)
{
	char path[PATH_SIZE], copy[PATH_SIZE + 16], command[3 * PATH_SIZE];

	add(1);
	cr_assert_eq(events_runtime_path(path, &store, "a"), 0);
	snprintf(copy, sizeof copy, "%s~%d", path, dead_pid());
	snprintf(command, sizeof command, "cp '%s' '%s'", path, copy);
	cr_assert_eq(system(command), 0);
	events_move(&store, "a");
	cr_expect_eq(left(), 0);
	cr_assert_eq(events_read(&all, &store, "a", &arena), 0);
	cr_expect_eq(all.count, 1);
}

/* A child adds and moves until it is killed. */
static void round_of(int i)
{
	struct timespec t = {0, 200000 + (long)(i * 7919 % 3000) * 1000};
	pid_t pid = fork();

	if (pid == 0)
		for (int64_t k = 0;; k++) {
			add(i * 1000000000ll + k);
			if (k % 3 == 2)
				events_move(&store, "a");
		}
	cr_assert_gt(pid, 0);
	nanosleep(&t, NULL);
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

Test(events_kill, at_any_point_nothing_is_lost_or_there_twice)
{
	enum { ROUNDS = 150 };
	int64_t counted, missing;

	for (int i = 0; i < ROUNDS; i++)
		round_of(i);
	events_move(&store, "a");
	cr_expect_eq(left(), 0);
	cr_assert_eq(events_read(&all, &store, "a", &arena), 0);
	for (size_t i = 1; i < all.count; i++)
		cr_assert_neq(all.v[i].start, all.v[i - 1].start, "event %zu is there twice", i);
	/* An event is counted before it is appended. */
	counted = all.sums.count[EVENT_ACTION * EVENT_VERDICTS + EVENT_HIT];
	missing = counted - (int64_t)all.count;
	cr_expect(missing >= 0 && missing <= ROUNDS, "%ld missing", (long)missing);
	cr_expect_gt(all.count, ROUNDS);
}
