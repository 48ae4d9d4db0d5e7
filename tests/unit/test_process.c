/* What /proc says of processes, and of those below them. */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/process.h"

static void spin(void)
{
	for (volatile unsigned i = 0;; i++)
		;
}

/* A child that sleeps above a grandchild that computes or sleeps. */
static pid_t family(int computes, pid_t *below)
{
	int ready[2];
	pid_t inner;
	pid_t pid;

	cr_assert_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		inner = fork();
		if (inner == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (computes)
				spin();
			for (;;)
				pause();
		}
		if (write(ready[1], &inner, sizeof inner) != sizeof inner)
			_exit(1);
		for (;;)
			pause();
	}
	cr_assert_eq(read(ready[0], below, sizeof *below), sizeof *below);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

Test(process, itself)
{
	struct process p;

	cr_assert_eq(process_read(&p, 0), 0);
	cr_expect_eq(p.pid, getpid());
	cr_expect_eq(p.parent, getppid());
	cr_expect_eq(p.state, 'R');
	cr_expect_eq(p.nice, nice(0));
	cr_assert_neq(nice(3), -1);
	cr_assert_eq(process_read(&p, 0), 0);
	cr_expect_eq(p.nice, nice(0));
}

Test(process, a_process_below_computes)
{
	int runs = 0, stopped = 1;
	pid_t below, pid = family(1, &below);

	for (int i = 0; i < 1000 && !runs; i++) {
		usleep(1000);
		cr_assert_eq(process_tree(pid, 19, &runs, &stopped), 0);
	}
	cr_expect(runs);
	cr_expect_not(stopped);
	/* It gives way to one with a lower nice value. */
	cr_assert_eq(process_tree(pid, nice(0) - 1, &runs, &stopped), 0);
	cr_expect_not(runs);
	end(pid);
}

Test(process, a_process_below_is_stopped)
{
	int runs, stopped = 0;
	pid_t below, pid = family(0, &below);

	cr_assert_eq(process_tree(pid, 19, &runs, &stopped), 0);
	cr_expect_not(stopped);
	cr_assert_eq(kill(below, SIGSTOP), 0);
	for (int i = 0; i < 1000 && !stopped; i++) {
		usleep(1000);
		cr_assert_eq(process_tree(pid, 19, &runs, &stopped), 0);
	}
	cr_expect(stopped);
	end(pid);
	cr_expect_eq(process_tree(pid, 19, &runs, &stopped), -1);
}
