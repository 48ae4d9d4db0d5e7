/* Locks: one holder, end with its process, waiting, marks, forks. */
#include "store_fixture.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "store/lock.h"

TestSuite(lock, .init = fixture_start, .fini = fixture_stop);

#define MS 1000000ll

static struct digest key;

static enum lock_status take(struct lock *l, int64_t wait_ns)
{
	return lock_take(l, store.runtime_dir, &key, wait_ns, NULL);
}

static int try_once(void *unused)
{
	struct lock l;

	(void)unused;
	return take(&l, 0);
}

Test(lock, one_holder)
{
	struct lock a, b;
	int64_t waited = -1, start;

	key = key_of("k");
	cr_assert_eq(take(&a, 0), LOCK_HELD);
	cr_expect_gt(a.fd, 2);
	cr_expect_eq(in_child(try_once, NULL), LOCK_TIMEOUT);
	/* Nor can the same process take it twice. */
	start = now();
	cr_expect_eq(lock_take(&b, store.runtime_dir, &key, 30 * MS, &waited), LOCK_TIMEOUT);
	cr_expect_eq(b.fd, -1);
	cr_expect_geq(waited, 30 * MS);
	cr_expect_geq(now() - start, 30 * MS);
	lock_release(&a);
	cr_expect_eq(a.fd, -1);
	waited = -1;
	cr_expect_eq(lock_take(&b, store.runtime_dir, &key, 30 * MS, &waited), LOCK_HELD);
	cr_expect_eq(waited, 0);
	lock_release(&b);
	lock_release(&b); /* a second release does nothing */
}

Test(lock, other_keys_are_free)
{
	struct lock a, b;

	key = key_of("one");
	cr_assert_eq(take(&a, 0), LOCK_HELD);
	key = key_of("two");
	cr_assert_eq(take(&b, 0), LOCK_HELD);
}

Test(lock, dies_with_its_holder)
{
	struct lock l;
	int ready[2], status;
	char c;

	key = key_of("k");
	cr_assert_eq(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (take(&l, 0) != LOCK_HELD || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	cr_assert_eq(read(ready[0], &c, 1), 1);
	cr_expect_eq(take(&l, 0), LOCK_TIMEOUT);
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(take(&l, 0), LOCK_HELD);
}

Test(lock, a_forked_child_forgets_and_the_lock_stays)
{
	struct lock l, m;
	int go[2], status;
	char c;

	key = key_of("k");
	cr_assert_eq(take(&l, 0), LOCK_HELD);
	cr_assert_eq(pipe(go), 0);
	pid_t pid = fork();
	if (pid == 0) {
		lock_forget(&l);
		_exit(l.fd == -1 ? 0 : 1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
	cr_expect_eq(take(&m, 0), LOCK_TIMEOUT, "forget must not unlock");
	/* If a forked child does not forget the lock, the lock still ends with its release. */
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		_exit(read(go[0], &c, 1) != 0);
	}
	lock_release(&l);
	cr_expect_eq(take(&m, 0), LOCK_HELD);
	close(go[1]);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
}

static int wait_long(void *unused)
{
	struct lock l;

	(void)unused;
	return take(&l, 20000 * MS);
}

Test(lock, waiters_learn_that_the_run_was_not_storable)
{
	struct lock l, m;
	int status;

	key = key_of("k");
	cr_assert_eq(take(&l, 0), LOCK_HELD);
	pid_t pid = fork();
	if (pid == 0)
		_exit(wait_long(NULL));
	usleep(50000);
	lock_mark_unstorable(&l, &key);
	lock_release(&l);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(WEXITSTATUS(status), LOCK_UNSTORABLE);

	/* A process that finds the lock free takes it, in spite of the mark... */
	cr_assert_eq(take(&l, 0), LOCK_HELD);
	/* ... and a process that finds it held runs without waiting, for some seconds. */
	int64_t start = now();
	cr_expect_eq(take(&m, 20000 * MS), LOCK_UNSTORABLE);
	cr_expect_lt(now() - start, 5000 * MS);
	lock_release(&l);
	/* For another key there is no mark. */
	key = key_of("other");
	cr_assert_eq(take(&l, 0), LOCK_HELD);
	cr_expect_eq(take(&m, 0), LOCK_TIMEOUT);
}

Test(lock, torn_and_future_marks_say_nothing)
{
	unsigned char table[1024 * 32];
	struct lock l, m;
	char path[256];
	size_t n;

	key = key_of("k");
	cr_assert_eq(take(&l, 0), LOCK_HELD);
	lock_mark_unstorable(&l, &key);
	cr_expect_eq(take(&m, 0), LOCK_UNSTORABLE);
	snprintf(path, sizeof path, "%s/locks", store.runtime_dir);
	n = read_whole(path, table, sizeof table);
	cr_assert_gt(n, 0);
	size_t mark = 0;
	while (mark + 32 <= n && memcmp(table + mark, key.b, 16) != 0)
		mark += 32;
	cr_assert_lt(mark, n);
	for (size_t i = 0; i < 32; i++) {
		int fd = open(path, O_RDWR);
		unsigned char b = table[mark + i] ^ 0x40;

		cr_assert_eq(pwrite(fd, &b, 1, (off_t)(mark + i)), 1);
		cr_expect_eq(take(&m, 0), LOCK_TIMEOUT, "byte %zu", i);
		cr_assert_eq(pwrite(fd, &table[mark + i], 1, (off_t)(mark + i)), 1);
		close(fd);
	}
	cr_expect_eq(take(&m, 0), LOCK_UNSTORABLE);
	lock_release(&l);
}

/* Counts up without atomics: right only when the lock excludes. */
static int *shared;
static int count_up(int number)
{
	(void)number;
	for (int i = 0; i < 50; i++) {
		struct lock l;

		if (take(&l, 50000 * MS) != LOCK_HELD)
			return 1;
		int v = *(volatile int *)shared;
		usleep(100);
		*(volatile int *)shared = v + 1;
		lock_release(&l);
	}
	return 0;
}

Test(lock, excludes_under_load)
{
	key = key_of("k");
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(shared, MAP_FAILED);
	crowd_start(4, count_up);
	crowd_end();
	cr_expect_eq(*shared, 200);
}

static int with_closed_streams(void *unused)
{
	struct lock l;

	(void)unused;
	close(0);
	close(1);
	close(2);
	return take(&l, 0) == LOCK_HELD && l.fd > 2 && fcntl(0, F_GETFD) < 0 &&
	       fcntl(1, F_GETFD) < 0 &&
	       (fcntl(l.fd, F_GETFD) & FD_CLOEXEC) ? 0 : 1;
}

Test(lock, never_a_standard_descriptor)
{
	key = key_of("k");
	cr_expect_eq(in_child(with_closed_streams, NULL), 0);
}

Test(lock, without_a_directory_is_a_fault)
{
	struct lock l;

	key = key_of("k");
	cr_expect_eq(lock_take(&l, NULL, &key, 0, NULL), LOCK_FAULT);
	cr_expect_eq(lock_take(&l, "/nonexistent/dir", &key, 0, NULL), LOCK_FAULT);
	cr_expect_eq(l.fd, -1);
}

/* --- what a waiter learns of the holder --- */

/* Takes the lock in a child that then waits for a signal. */
static pid_t holder_start(void)
{
	int ready[2];
	char c;

	cr_assert_eq(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct lock l;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (take(&l, 0) != LOCK_HELD || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	cr_assert_eq(read(ready[0], &c, 1), 1);
	return pid;
}

Test(lock, nobody_waits_for_a_holder_that_is_stopped)
{
	struct lock l;
	int status;

	key = key_of("k");
	pid_t pid = holder_start();
	cr_expect_not(lock_stopped(store.runtime_dir, &key));
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	cr_assert_eq(waitpid(pid, &status, WUNTRACED), pid);
	cr_expect(lock_stopped(store.runtime_dir, &key));
	int64_t start = now();
	cr_expect_eq(take(&l, 60000 * MS), LOCK_TIMEOUT);
	cr_expect_lt(now() - start, 20000 * MS);
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(take(&l, 0), LOCK_HELD);
}

static struct lock_holder told;
static int asked;

static int three_times(void *context, const struct lock_holder *holder, int64_t waited_ns)
{
	cr_expect_eq(context, &told);
	cr_expect_geq(waited_ns, 0);
	told = *holder;
	return ++asked < 3;
}

Test(lock, a_waiter_is_told_who_holds_it)
{
	int64_t waited, before = now();
	struct lock l;

	key = key_of("k");
	pid_t pid = holder_start();
	cr_expect_eq(lock_take_while(&l, store.runtime_dir, &key, three_times, &told, &waited),
	             LOCK_TIMEOUT);
	cr_expect_eq(asked, 3);
	cr_expect_eq(told.tid, pid);
	cr_expect_gt(told.at, 0);
	cr_expect_gt(waited, 0);
	cr_expect_leq(waited, now() - before);
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	/* The next holder is another one. */
	int64_t first = told.at;
	pid = holder_start();
	asked = 0;
	lock_take_while(&l, store.runtime_dir, &key, three_times, &told, NULL);
	cr_expect_eq(told.tid, pid);
	cr_expect_gt(told.at, first);
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
}
