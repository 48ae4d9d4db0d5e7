/* The writing side of the trace: which record each call leaves. */
#include "trace_fixture.h"

#include <errno.h>
#include <sys/sysmacros.h>

TestSuite(trace, .init = start, .fini = stop);

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
	/* A name that fits alone may not fit behind the cwd. */
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
		trace_bye(); /* the _exit of a vfork child is not the end of its parent */
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

/* Until it reports its own pid, a child has its parent's, except for the programs that it
 * starts. */
Test(trace, a_start_has_the_pid_of_the_starting_process)
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
