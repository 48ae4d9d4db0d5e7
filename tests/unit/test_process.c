/* What /proc says of processes, and of those below them. */
#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/kernel/process.h"

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
			/* From here on it ends with its parent. */
			inner = getpid();
			if (write(ready[1], &inner, sizeof inner) != sizeof inner)
				_exit(1);
			if (computes)
				spin();
			for (;;)
				pause();
		}
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
	struct process_tree t = {0};
	pid_t below, pid = family(1, &below);

	for (int i = 0; i < 1000 && !(t.runs && t.used); i++) {
		usleep(1000);
		cr_assert_eq(process_tree(pid, 19, &t), 0);
	}
	cr_expect(t.runs);
	cr_expect_gt(t.used, 0);
	cr_expect_not(t.stopped);
	/* It gives way to one with a lower nice value. */
	cr_assert_eq(process_tree(pid, nice(0) - 1, &t), 0);
	cr_expect_not(t.runs);
	end(pid);
}

Test(process, a_process_below_is_stopped)
{
	struct process_tree t;
	pid_t below, pid = family(0, &below);

	cr_assert_eq(process_tree(pid, 19, &t), 0);
	cr_expect_not(t.stopped);
	cr_assert_eq(kill(below, SIGSTOP), 0);
	for (int i = 0; i < 1000 && !t.stopped; i++) {
		usleep(1000);
		cr_assert_eq(process_tree(pid, 19, &t), 0);
	}
	cr_expect(t.stopped);
	end(pid);
	cr_expect_eq(process_tree(pid, 19, &t), -1);
}

Test(process, shares)
{
	struct sched_param none = {0};
	pid_t below, pid = family(0, &below);

	cr_expect(process_shares(pid));
	cr_assert_eq(sched_setscheduler(pid, SCHED_IDLE, &none), 0);
	cr_expect_not(process_shares(pid));
	cr_expect(process_shares(below));
	end(pid);
}

static void pin(pid_t pid, int policy)
{
	struct sched_param none = {0};
	cpu_set_t first;

	cr_assert_eq(sched_getaffinity(0, sizeof first, &first), 0);
	for (int i = 0, found = 0; i < CPU_SETSIZE; i++) {
		if (found)
			CPU_CLR(i, &first);
		found |= CPU_ISSET(i, &first);
	}
	cr_assert_eq(sched_setaffinity(pid, sizeof first, &first), 0);
	cr_assert_eq(sched_setscheduler(pid, policy, &none), 0);
}

/* A process that waits for a processor, and gets it seldom, does not go on as this one would. */
Test(process, another_seldom_gets_a_processor)
{
	pid_t idle, busy, above = family(1, &busy);
	struct progress p = {.pid = family(1, &idle)};
	int64_t waited = 0;

	pin(busy, SCHED_OTHER);
	pin(idle, SCHED_IDLE);
	pin(p.pid, SCHED_IDLE);
	for (; waited <= PROGRESS_PATIENCE_NS && progress_goes_on(&p, waited); waited += 30000000)
		usleep(30000);
	cr_expect_geq(waited, PROGRESS_PATIENCE_NS);
	cr_expect_not(progress_goes_on(&p, waited + 30000000));
	end(p.pid);
	end(above);
}
