/* The writing side of the trace: what lands in the file, decoded here by the table in shim/trace.h. */
#include "scratch.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "shim/trace.h"

struct event {
	unsigned len, op, flags, pid, arg;
	const char *a, *b;
	size_t a_len, b_len;
};

static char file[4096];
static unsigned char *map; /* the whole file, for reading */

static uint64_t u64(size_t at)
{
	uint64_t v;

	memcpy(&v, map + at, sizeof v);
	return v;
}

static uint32_t u32(size_t at)
{
	uint32_t v;

	memcpy(&v, map + at, sizeof v);
	return v;
}

/* An empty trace file as a recorder makes it, of so many backed bytes. */
static void make(const char *name, uint64_t backed, uint64_t size)
{
	unsigned char head[TRACE_HEAD] = {0};
	uint64_t tail = TRACE_HEAD;
	int fd;

	snprintf(file, sizeof file, "%s", scratch(name));
	memcpy(head, TRACE_MAGIC, 8);
	memcpy(head + 8, &tail, sizeof tail);
	memcpy(head + 16, &backed, sizeof backed);
	fd = open(file, O_RDWR | O_CREAT | O_EXCL, 0600);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, head, sizeof head), (ssize_t)sizeof head);
	cr_assert_eq(posix_fallocate(fd, 0, (off_t)backed), 0);
	cr_assert_eq(ftruncate(fd, (off_t)size), 0);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	cr_assert_neq(map, MAP_FAILED);
	close(fd);
}

static void start(void)
{
	scratch_make();
	make("trace", TRACE_STEP, TRACE_CAPACITY);
	cr_assert_eq(trace_attach(file), 0);
}

static void stop(void)
{
	trace_detach();
	scratch_remove();
}

TestSuite(trace, .init = start, .fini = stop);

/* The record at *at, which moves on. 0 at the end; fails on a hole. */
static int next(size_t *at, struct event *e)
{
	if (*at >= u64(8))
		return 0;
	e->len = u32(*at);
	cr_assert_geq(e->len, TRACE_RECORD_HEAD + 2, "a hole at %zu", *at);
	cr_assert_eq(e->len % 8, 0);
	cr_assert_leq(*at + e->len, u64(8));
	e->op = map[*at + 4] | (unsigned)map[*at + 5] << 8;
	e->flags = map[*at + 6] | (unsigned)map[*at + 7] << 8;
	e->pid = u32(*at + 8);
	e->arg = u32(*at + 12);
	e->a_len = u32(*at + 16);
	e->b_len = u32(*at + 20);
	cr_assert_leq(TRACE_RECORD_HEAD + e->a_len + e->b_len + 2, e->len);
	e->a = (const char *)map + *at + TRACE_RECORD_HEAD;
	e->b = e->a + e->a_len + 1;
	cr_assert_eq(e->a[e->a_len], 0);
	cr_assert_eq(e->b[e->b_len], 0);
	*at += e->len;
	return 1;
}

/* The only record there is since *at. */
static struct event one(void)
{
	static size_t at = TRACE_HEAD;
	struct event e = {0};

	cr_assert(next(&at, &e), "no record");
	cr_assert_eq(at, u64(8), "more than one record");
	return e;
}

static void expect(unsigned op, unsigned flags, unsigned arg, const char *a, const char *b)
{
	struct event e = one();

	cr_expect_eq(e.op, op);
	cr_expect_eq(e.flags, flags, "flags %#x, want %#x", e.flags, flags);
	cr_expect_eq(e.arg, arg);
	cr_expect_eq(e.pid, (unsigned)getpid());
	cr_expect_str_eq(e.a, a);
	cr_expect_str_eq(e.b, b);
	cr_expect_eq(e.a_len, strlen(a));
	cr_expect_eq(e.b_len, strlen(b));
}

Test(trace, absolute_paths_as_they_are)
{
	trace_path(TRACE_READ, TRACE_FLAG_NOFOLLOW, AT_FDCWD, "/a//b/../c", 7);
	expect(TRACE_READ, TRACE_FLAG_NOFOLLOW, 7, "/a//b/../c", "");
	trace_path(TRACE_READ, 0, 12345, "/a", 0); /* the descriptor does not matter */
	expect(TRACE_READ, 0, 0, "/a", "");
}

Test(trace, relative_paths_start_from_the_cwd)
{
	char cwd[4096], want[4200];

	cr_assert_eq(chdir(scratch_dir), 0);
	cr_assert(getcwd(cwd, sizeof cwd));
	trace_path(TRACE_WRITE, 0, AT_FDCWD, "x/../y", 0);
	snprintf(want, sizeof want, "%s/x/../y", cwd);
	expect(TRACE_WRITE, TRACE_FLAG_RELATIVE, 0, want, "");
	cr_assert_eq(chdir("/"), 0);
	trace_path(TRACE_WRITE, 0, AT_FDCWD, "y", 0);
	expect(TRACE_WRITE, TRACE_FLAG_RELATIVE, 0, "/y", "");
}

/* Relative to a descriptor is not relative to the cwd. */
Test(trace, directories_by_descriptor)
{
	char want[4200];
	int fd = open(scratch_dir, O_RDONLY | O_DIRECTORY), plain;

	trace_path(TRACE_STAT, 0, fd, "y", 0);
	snprintf(want, sizeof want, "%s/y", scratch_dir);
	expect(TRACE_STAT, 0, 0, want, "");
	close(fd);
	trace_path(TRACE_STAT, 0, fd, "y", 0);
	cr_expect(one().flags & TRACE_FLAG_CUT, "a closed descriptor leads nowhere");
	plain = open("/dev/null", O_RDONLY);
	trace_fd(TRACE_READ, 0, plain, 3);
	expect(TRACE_READ, 0, 3, "/dev/null", "");
	close(plain);
}

Test(trace, nothing_to_say)
{
	trace_path(TRACE_READ, 0, AT_FDCWD, "", 0);
	trace_path(TRACE_READ, 0, AT_FDCWD, NULL, 0);
	trace_path2(TRACE_RENAME, 0, AT_FDCWD, NULL, AT_FDCWD, "/b", 0);
	trace_fd(TRACE_READ, 0, -1, 0);
	cr_expect_eq(u64(8), TRACE_HEAD);
}

Test(trace, pairs)
{
	char want[4200];

	trace_path2(TRACE_RENAME, 0, AT_FDCWD, "/a", AT_FDCWD, "/b", 0);
	expect(TRACE_RENAME, 0, 0, "/a", "/b");
	cr_assert_eq(chdir(scratch_dir), 0);
	snprintf(want, sizeof want, "%s/b", scratch_dir);
	trace_path2(TRACE_RENAME, 0, AT_FDCWD, "/a", AT_FDCWD, "b", 0);
	expect(TRACE_RENAME, TRACE_FLAG_RELATIVE_B, 0, "/a", want);
	trace_path2(TRACE_RENAME, 0, AT_FDCWD, "b", AT_FDCWD, "/a", 0);
	expect(TRACE_RENAME, TRACE_FLAG_RELATIVE, 0, want, "/a");
	/* The text of a symbolic link is no path. */
	trace_path2(TRACE_LINK, TRACE_FLAG_SYMBOLIC, AT_FDCWD, "../x", AT_FDCWD, "b", 0);
	expect(TRACE_LINK, TRACE_FLAG_SYMBOLIC | TRACE_FLAG_RELATIVE_B, 0, "../x", want);
}

Test(trace, long_names_are_marked)
{
	static char name[5000];

	memset(name, 'n', sizeof name - 1);
	name[0] = '/';
	name[4095] = 0;
	trace_path(TRACE_READ, 0, AT_FDCWD, name, 0);
	expect(TRACE_READ, 0, 0, name, "");
	name[4095] = 'n';
	trace_path(TRACE_READ, 0, AT_FDCWD, name, 0);
	cr_expect(one().flags & TRACE_FLAG_CUT);
	/* What fits alone may not fit behind the cwd. */
	cr_assert_eq(chdir(scratch_dir), 0);
	name[0] = 'n';
	name[4090] = 0;
	trace_path(TRACE_READ, 0, AT_FDCWD, name, 0);
	cr_expect(one().flags & TRACE_FLAG_CUT);
	name[0] = '/';
	name[2500] = 0;
	trace_path2(TRACE_RENAME, 0, AT_FDCWD, name, AT_FDCWD, "/b", 0);
	cr_expect(one().flags & TRACE_FLAG_CUT);
	trace_path2(TRACE_RENAME, 0, AT_FDCWD, "/a", AT_FDCWD, name, 0);
	cr_expect(one().flags & TRACE_FLAG_CUT);
	trace_path2(TRACE_LINK, TRACE_FLAG_SYMBOLIC, AT_FDCWD, name, AT_FDCWD, "/b", 0);
	cr_expect(one().flags & TRACE_FLAG_CUT);
}

Test(trace, a_cwd_that_is_gone)
{
	cr_assert_eq(mkdir(scratch("gone"), 0700), 0);
	cr_assert_eq(chdir(scratch("gone")), 0);
	cr_assert_eq(rmdir(scratch("gone")), 0);
	trace_path(TRACE_READ, 0, AT_FDCWD, "x", 0);
	cr_expect(one().flags & TRACE_FLAG_CUT);
	cr_assert_eq(chdir("/"), 0);
}

Test(trace, probes_by_errno)
{
	trace_probe(TRACE_STAT, TRACE_FLAG_NOFOLLOW, AT_FDCWD, "/x", 0, 0100644);
	expect(TRACE_STAT, TRACE_FLAG_NOFOLLOW, 0100644, "/x", "");
	trace_probe(TRACE_STAT, 0, AT_FDCWD, "/x", ENOENT, 9);
	expect(TRACE_ABSENT, 0, 0, "/x", "");
	trace_probe(TRACE_STAT, 0, AT_FDCWD, "/x", ENOTDIR, 9);
	expect(TRACE_ABSENT, 0, 0, "/x", "");
	trace_probe(TRACE_STAT, 0, AT_FDCWD, "/x", EACCES, 9);
	expect(TRACE_FAILED, 0, EACCES, "/x", "");
}

Test(trace, texts_of_any_length)
{
	static char value[200000];

	memset(value, 'v', sizeof value - 1);
	trace_text(TRACE_GETENV, 0, "NAME", value, 0);
	expect(TRACE_GETENV, 0, 0, "NAME", value);
	trace_text(TRACE_GETENV, TRACE_FLAG_UNSET, "NAME", NULL, 0);
	expect(TRACE_GETENV, TRACE_FLAG_UNSET, 0, "NAME", "");
	trace_text(TRACE_CLOCK, 0, NULL, NULL, 1);
	expect(TRACE_CLOCK, 0, 1, "", "");
}

Test(trace, errno_is_kept)
{
	cr_assert_eq(chdir(scratch_dir), 0);
	errno = 77;
	trace_path(TRACE_READ, 0, AT_FDCWD, "x", 0);
	trace_path(TRACE_READ, 0, 999, "x", 0);
	trace_path2(TRACE_RENAME, 0, 999, "x", AT_FDCWD, "y", 0);
	trace_fd(TRACE_READ, 0, 999, 0);
	trace_probe(TRACE_READ, 0, AT_FDCWD, "x", ENOENT, 0);
	trace_hello();
	cr_expect_eq(errno, 77);
}

static unsigned identity_of(const char *path)
{
	struct stat st;

	cr_assert_eq(stat(path, &st), 0);
	return trace_identity(st.st_ino, major(st.st_dev), minor(st.st_dev));
}

Test(trace, identities)
{
	cr_expect_eq(trace_identity_at(AT_FDCWD, "/"), identity_of("/"));
	cr_expect_eq(trace_identity_at(AT_FDCWD, "/nowhere"), 0);
	cr_expect_eq(trace_identity_at(-1, ""), 0);
	cr_expect_eq(trace_identity(0, 0, 0), 1, "known");
	cr_expect_neq(trace_identity(12, 8, 1), trace_identity(13, 8, 1));
	cr_expect_neq(trace_identity(12, 8, 1), trace_identity(12, 8, 2));
	cr_expect_neq(trace_identity(12, 8, 1), trace_identity(12, 1, 8));
	cr_expect_neq(trace_identity(12, 8, 1), trace_identity(12 + (1ull << 32), 8, 1));
}

Test(trace, hello_and_bye)
{
	size_t at = TRACE_HEAD;
	struct event e;
	char exe[4096];
	int loaded = 0, libc = 0;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	cr_assert_gt(n, 0);
	exe[n] = 0;
	trace_hello();
	cr_assert(next(&at, &e));
	cr_expect_eq(e.op, TRACE_HELLO);
	cr_expect_str_eq(e.a, exe);
	cr_expect_eq(e.arg, (unsigned)getppid());
	cr_assert(next(&at, &e));
	cr_expect_eq(e.op, TRACE_PROGRAM);
	cr_expect_str_eq(e.a, exe);
	cr_expect_eq(e.arg, identity_of(exe));
	while (next(&at, &e)) {
		cr_expect_eq(e.op, TRACE_LOADED);
		cr_expect_eq(e.a[0], '/');
		cr_expect_eq(e.arg, identity_of(e.a));
		loaded++;
		libc += strstr(e.a, "/libc.so.6") != NULL;
	}
	cr_expect_geq(loaded, 2);
	cr_expect_eq(libc, 1);
	trace_loaded();
	cr_expect_not(next(&at, &e), "nothing came since");
	trace_bye();
	trace_bye();
	cr_assert(next(&at, &e));
	cr_expect_eq(e.op, TRACE_BYE);
	cr_expect_not(next(&at, &e), "once");
}

Test(trace, a_forked_child_has_its_own_pid)
{
	size_t at = TRACE_HEAD;
	struct event e;
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		trace_bye(); /* a vfork child's _exit: not its parent's end */
		trace_after_fork();
		trace_path(TRACE_READ, 0, AT_FDCWD, "/x", 0);
		trace_bye();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	cr_assert(next(&at, &e));
	cr_expect_eq(e.op, TRACE_FORKED);
	cr_expect_eq(e.pid, (unsigned)pid);
	cr_expect_eq(e.arg, (unsigned)parent);
	cr_assert(next(&at, &e));
	cr_expect_eq(e.pid, (unsigned)pid);
	cr_assert(next(&at, &e));
	cr_expect_eq(e.op, TRACE_BYE);
	cr_expect_eq(e.pid, (unsigned)pid);
	cr_expect_not(next(&at, &e));
}

/* Before it says who it is, a child is its parent, but for what it starts. */
Test(trace, a_start_has_the_pid_of_who_starts)
{
	size_t at = TRACE_HEAD;
	struct event e;
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		trace_path(TRACE_ABSENT, 0, AT_FDCWD, "/bin1/as", 0);
		trace_path(TRACE_EXEC, 0, AT_FDCWD, "/bin2/as", 0);
		trace_path(TRACE_EXEC_FAILED, 0, AT_FDCWD, "/bin2/as", 0);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	cr_assert(next(&at, &e));
	cr_expect_eq(e.pid, (unsigned)parent);
	cr_assert(next(&at, &e));
	cr_expect_eq(e.pid, (unsigned)pid);
	cr_assert(next(&at, &e));
	cr_expect_eq(e.pid, (unsigned)pid);
}

/* Records must neither overlap nor leave holes, whoever writes and wherever memory is added. */

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

Test(trace, many_threads)
{
	pthread_t thread[WRITERS];

	for (intptr_t i = 0; i < WRITERS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, write_thread, (void *)i), 0);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(thread[i], NULL);
	expect_all();
}

Test(trace, many_processes)
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

Test(trace, memory_comes_in_steps)
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

Test(trace, one_record_over_several_steps)
{
	static char value[3 * TRACE_STEP];

	memset(value, 'v', sizeof value - 1);
	trace_text(TRACE_GETENV, 0, "N", value, 0);
	expect(TRACE_GETENV, 0, 0, "N", value);
	cr_expect_eq(u64(16), 4 * TRACE_STEP);
	cr_expect_geq(blocks(), 4 * TRACE_STEP);
}

Test(trace, no_memory_is_an_overflow)
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

Test(trace, capacity_is_an_overflow)
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

Test(trace, only_traces_are_attached)
{
	static const char good[TRACE_HEAD] = TRACE_MAGIC;

	trace_detach();
	cr_expect_eq(trace_active, 0);
	cr_expect_eq(attach_bytes("good", good, sizeof good, TRACE_CAPACITY), 0);
	cr_expect_eq(attach_bytes("magic", "RPTRACE2                        ", 32, TRACE_CAPACITY), -EINVAL);
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

Test(trace, a_foreign_file_is_not_written_to)
{
	if (geteuid() != 0)
		cr_skip_test("needs root");
	trace_detach();
	cr_assert_eq(chown(file, 12345, 12345), 0);
	cr_expect_eq(trace_attach(file), -EPERM);
	cr_expect_eq(trace_active, 0);
}

Test(trace, no_address_space)
{
	struct rlimit limit = {TRACE_CAPACITY / 2, RLIM_INFINITY};
	int rc;

	trace_detach();
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	rc = trace_attach(file);
	limit.rlim_cur = RLIM_INFINITY;
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	cr_expect_eq(rc, -ENOMEM);
	cr_expect_eq(trace_active, 0);
}

Test(trace, no_descriptor_stays_open)
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
