/* store/tracefile.c: a trace is there as long as its maker, and no longer. */
#include "store/tracefile.h"

#include <signal.h>

#include "scratch.h"
#include "shim/trace.h"

static struct tracefile t;

TestSuite(tracefile, .init = scratch_make, .fini = scratch_remove);

static int there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

Test(tracefile, it_is_whole_and_goes_with_its_maker)
{
	struct stat st;

	cr_assert_eq(tracefile_make(&t, scratch_dir, 0777), 0);
	cr_expect_gt(t.fd, 2);
	cr_assert_eq(stat(t.path, &st), 0);
	cr_expect_eq(st.st_size, TRACE_CAPACITY);
	cr_expect_eq(st.st_mode & 0777, 0600);
	cr_expect_eq(trace_attach(t.path), 0);
	trace_detach();
	tracefile_remove(&t);
	cr_expect_not(there(t.path));
}

Test(tracefile, a_sweep_leaves_what_is_held_and_what_is_none)
{
	struct tracefile second;

	cr_assert_eq(tracefile_make(&t, scratch_dir, 022), 0);
	scratch_write("trace.1.0", "of a killed one, whose number is in use");
	scratch_write("trace.1", "");
	scratch_write("trace.1.0x", "");
	cr_assert_eq(symlink("/dev/null", scratch("trace.2.0")), 0);
	cr_assert_eq(tracefile_make(&second, scratch_dir, 022), 0);
	cr_expect(there(t.path));
	cr_expect(there(second.path));
	cr_expect_not(there(scratch("trace.1.0")));
	cr_expect(there(scratch("trace.1")));
	cr_expect(there(scratch("trace.1.0x")));
	cr_expect(there(scratch("trace.2.0")));
	cr_expect_eq(tracefile_sweep(scratch_dir), 0u);
	tracefile_forget(&t);
	cr_expect_eq(tracefile_sweep(scratch_dir), 1u);
	cr_expect_not(there(t.path));
	tracefile_remove(&second);
}

Test(tracefile, a_child_that_forgets_it_leaves_the_lock)
{
	pid_t pid;
	int status;

	cr_assert_eq(tracefile_make(&t, scratch_dir, 022), 0);
	pid = fork();
	if (pid == 0) {
		tracefile_forget(&t);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(tracefile_sweep(scratch_dir), 0u);
	tracefile_remove(&t);
}

Test(tracefile, two_processes_that_make_and_sweep_at_once_lose_none)
{
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			for (int n = 0; n < 100; n++) {
				if (tracefile_make(&t, scratch_dir, 022) < 0 || !there(t.path))
					_exit(1);
				if (n % 10 == 0)
					tracefile_forget(&t); /* as a killed one */
				else
					tracefile_remove(&t);
			}
			_exit(0);
		}
	for (int i = 0, status; i < 4; i++) {
		cr_assert_gt(wait(&status), 0);
		cr_expect_eq(status, 0);
	}
	tracefile_sweep(scratch_dir);
	cr_expect_eq(rmdir(scratch_dir), 0, "something is left");
	cr_assert_eq(mkdir(scratch_dir, 0700), 0);
}
