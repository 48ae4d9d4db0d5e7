/* A trace's file: many writers, memory in steps, overflow, and which files can be attached. */
#include "trace_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

TestSuite(trace_file, .init = start, .fini = stop);

/* Records neither overlap nor leave holes, whichever process writes and wherever memory is
 * added. */

#define WRITERS 4
#define EACH 6000

static void write_many(int who)
{
	char path[256];

	for (int i = 0; i < EACH; i++) {
		int n = snprintf(path, sizeof path, "/%d/%d/", who, i);

		memset(path + n, 'a' + who, (size_t)(i % 200));
		path[n + i % 200] = 0;
		trace_path(TRACE_READ, 0, AT_FDCWD, path, (unsigned)who);
	}
}

static void *write_thread(void *who)
{
	write_many((int)(intptr_t)who);
	return NULL;
}

/* Each writer's records are there, whole and in its order. */
static void expect_all(void)
{
	size_t at = TRACE_HEAD;
	int seen[WRITERS] = {0};
	struct event e;

	while (next(&at, &e)) {
		int who, i, n;

		cr_assert_eq(sscanf(e.a, "/%d/%d/%n", &who, &i, &n), 2);
		cr_assert_eq((unsigned)who, e.arg);
		cr_assert_eq(i, seen[who]);
		seen[who]++;
		cr_assert_eq(e.a_len, (size_t)(n + i % 200));
		for (int k = 0; k < i % 200; k++)
			cr_assert_eq(e.a[n + k], 'a' + who);
	}
	for (int w = 0; w < WRITERS; w++)
		cr_expect_eq(seen[w], EACH);
	cr_expect_eq(u32(24), 0, "overflow");
	cr_expect_gt(u64(8), 4 * TRACE_STEP, "too few bytes for a test of the borders");
	cr_expect_geq(u64(16), u64(8), "bytes without memory behind them");
}

Test(trace_file, many_threads)
{
	pthread_t thread[WRITERS];

	for (intptr_t i = 0; i < WRITERS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, write_thread, (void *)i), 0);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(thread[i], NULL);
	expect_all();
}

Test(trace_file, many_processes)
{
	pid_t pid[WRITERS];

	trace_detach();
	for (int i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			if (trace_attach(file) < 0)
				_exit(1);
			write_many(i);
			_exit(0);
		}
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;

		cr_assert_eq(waitpid(pid[i], &status, 0), pid[i]);
		cr_expect_eq(status, 0);
	}
	expect_all();
}

/* Memory. */

static uint64_t blocks(void)
{
	struct stat st;

	cr_assert_eq(stat(file, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

Test(trace_file, memory_comes_in_steps)
{
	char path[4001];
	size_t each;

	memset(path, 'p', sizeof path - 1);
	path[0] = '/';
	path[4000] = 0;
	trace_path(TRACE_READ, 0, AT_FDCWD, path, 0);
	each = u64(8) - TRACE_HEAD;
	while (u64(8) + each <= TRACE_STEP)
		trace_path(TRACE_READ, 0, AT_FDCWD, path, 0);
	cr_expect_eq(u64(16), TRACE_STEP, "not before it is needed");
	/* Up to the last byte of the step: the head, the text, two NULs. */
	path[TRACE_STEP - u64(8) - TRACE_RECORD_HEAD - 2] = 0;
	trace_path(TRACE_READ, 0, AT_FDCWD, path, 0);
	cr_expect_eq(u64(8), TRACE_STEP);
	cr_expect_eq(u64(16), TRACE_STEP);
	trace_path(TRACE_READ, 0, AT_FDCWD, "/", 0);
	cr_expect_eq(u64(16), 2 * TRACE_STEP);
	cr_expect_geq(blocks(), 2 * TRACE_STEP);
	cr_expect_eq(u32(24), 0);
}

Test(trace_file, one_record_over_several_steps)
{
	static char value[3 * TRACE_STEP];

	memset(value, 'v', sizeof value - 1);
	trace_text(TRACE_GETENV, 0, "N", value, 0);
	expect(TRACE_GETENV, 0, 0, "N", value);
	cr_expect_eq(u64(16), 4 * TRACE_STEP);
	cr_expect_geq(blocks(), 4 * TRACE_STEP);
}

Test(trace_file, no_memory_is_an_overflow)
{
	static char value[2 * TRACE_STEP];
	size_t at = TRACE_HEAD;
	struct event e;

	memset(value, 'v', sizeof value - 1);
	trace_path(TRACE_READ, 0, AT_FDCWD, "/a", 0);
	cr_assert_eq(unlink(file), 0); /* more cannot be had without its name */
	trace_text(TRACE_GETENV, 0, "N", value, 0);
	cr_expect_neq(u32(24), 0);
	cr_assert(next(&at, &e), "what was written stays");
}

Test(trace_file, capacity_is_an_overflow)
{
	uint64_t tail = TRACE_CAPACITY - 64;
	int fd = open(file, O_RDWR);

	cr_assert_eq(pwrite(fd, &tail, sizeof tail, 8), (ssize_t)sizeof tail);
	close(fd);
	trace_path(TRACE_READ, 0, AT_FDCWD, "/a-name-that-does-not-fit-into-what-is-left", 0);
	cr_expect_neq(u32(24), 0);
	cr_expect_lt(blocks(), 8 * TRACE_STEP);
}

/* Attaching. */

static int attach_bytes(const char *name, const void *bytes, size_t n, off_t size)
{
	int fd = open(scratch(name), O_RDWR | O_CREAT | O_TRUNC, 0600), rc;

	cr_assert_eq(write(fd, bytes, n), (ssize_t)n);
	cr_assert_eq(ftruncate(fd, size), 0);
	close(fd);
	rc = trace_attach(scratch(name));
	if (rc == 0)
		trace_detach();
	return rc;
}

Test(trace_file, only_traces_are_attached)
{
	static const char good[TRACE_HEAD] = TRACE_MAGIC;

	trace_detach();
	cr_expect_eq(trace_active, 0);
	cr_expect_eq(attach_bytes("good", good, sizeof good, TRACE_CAPACITY), 0);
	cr_expect_eq(attach_bytes("magic", "RPTRACE2                        ", 32, TRACE_CAPACITY),
	             -EINVAL);
	cr_expect_eq(attach_bytes("short", good, 31, 31), -EINVAL);
	cr_expect_eq(attach_bytes("empty", good, 0, 0), -EINVAL);
	/* A store beyond the end of a file is SIGBUS. */
	cr_expect_eq(attach_bytes("small", good, sizeof good, TRACE_CAPACITY - 1), -EINVAL);
	cr_expect_eq(trace_attach(scratch("none")), -ENOENT);
	cr_expect_lt(trace_attach(scratch_dir), 0);
	cr_assert_eq(symlink(file, scratch("link")), 0);
	cr_expect_eq(trace_attach(scratch("link")), -ELOOP);
	cr_assert_eq(mkfifo(scratch("fifo"), 0600), 0);
	cr_expect_lt(trace_attach(scratch("fifo")), 0);
	cr_expect_eq(trace_active, 0);
	trace_path(TRACE_READ, 0, AT_FDCWD, "/x", 0);
	cr_expect_eq(u64(8), TRACE_HEAD, "nothing is written by who has none");
}

Test(trace_file, a_foreign_file_is_not_written_to)
{
	if (geteuid() != 0)
		cr_skip_test("needs root");
	trace_detach();
	cr_assert_eq(chown(file, 12345, 12345), 0);
	cr_expect_eq(trace_attach(file), -EPERM);
	cr_expect_eq(trace_active, 0);
}

Test(trace_file, no_address_space)
{
	struct rlimit limit = {TRACE_CAPACITY_LIMITED / 2, RLIM_INFINITY};
	int rc;

	trace_detach();
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	rc = trace_attach(file);
	limit.rlim_cur = RLIM_INFINITY;
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	cr_expect_eq(rc, -ENOMEM);
	cr_expect_eq(trace_active, 0);
}

/* Processes without a limit may have written beyond the part that this process maps. */
Test(trace_file, a_limit_of_address_space_maps_less)
{
	struct rlimit limit = {1ull << 46, RLIM_INFINITY};
	uint64_t tail = TRACE_CAPACITY_LIMITED - 64, beyond = TRACE_CAPACITY_LIMITED + TRACE_STEP;
	int fd = open(file, O_RDWR);

	trace_detach();
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	cr_assert_eq(trace_attach(file), 0);
	trace_path(TRACE_READ, 0, AT_FDCWD, "/a", 0);
	cr_expect_eq(u32(24), 0);
	cr_assert_eq(pwrite(fd, &tail, sizeof tail, 8), (ssize_t)sizeof tail);
	cr_assert_eq(pwrite(fd, &beyond, sizeof beyond, 16), (ssize_t)sizeof beyond);
	close(fd);
	trace_path(TRACE_READ, 0, AT_FDCWD, "/a-name-that-does-not-fit-into-what-is-left", 0);
	cr_expect_neq(u32(24), 0);
	trace_detach();
}

Test(trace_file, no_descriptor_stays_open)
{
	int before = dup(0), after;

	close(before);
	trace_detach();
	cr_assert_eq(trace_attach(file), 0);
	trace_path(TRACE_READ, 0, AT_FDCWD, "/x", 0);
	after = dup(0);
	close(after);
	cr_expect_eq(before, after);
}
