/* shim/kernel/hidden_child.c - children with exit signal 0. */
#include "shim/kernel/hidden_child.h"

#include <sys/time.h>
#include <sys/wait.h>

#include "shim/kernel/exe.h"
#include "shim/kernel/signals.h"
#include "shim/trace.h"

#include "shim/banned.h"

/* --- descriptors --- */

/* On kernels without close_range, a process has no more descriptors than this unless it asked for
 * them. */
#define OLD_KERNEL_DESCRIPTORS 4096u

/* Before Linux 5.9: one descriptor at a time. */
static void close_from(unsigned first, unsigned last)
{
	if (SYS3(SYS_close_range, first, last, 0) != -ENOSYS)
		return;
	for (unsigned fd = first; fd <= last && fd < OLD_KERNEL_DESCRIPTORS; fd++)
		sys_close((int)fd);
}

/* The lowest of keep[0 .. n) that is at least `from`, or -1. */
static int next_kept(const int *keep, int n, unsigned from)
{
	int next = -1;

	for (int i = 0; i < n; i++)
		if (keep[i] >= 0 && (unsigned)keep[i] >= from && (next < 0 || keep[i] < next))
			next = keep[i];
	return next;
}

void descriptors_close_others(const int *keep, int n)
{
	unsigned from = 0;

	for (int fd; (fd = next_kept(keep, n, from)) >= 0; from = (unsigned)fd + 1)
		if ((unsigned)fd > from)
			close_from(from, (unsigned)fd - 1);
	close_from(from, ~0u);
}

#define PAUSE_FIRST_NS 50000
#define PAUSE_LONGEST_NS 2000000

static void plain_signals(void)
{
	uint64_t none = 0;

	for (int sig = 1; sig < 65; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal_handler(sig, SIG_DFL);
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, SIGNALS_SET_SIZE);
}

static void null_streams(void)
{
	int fd = sys_open("/dev/null", O_RDWR, 0); /* as descriptor 0 it survives an exec */

	for (int i = 0; i < 3 && fd >= 0; i++)
		if (fd != i)
			sys_dup3(fd, i, 0);
	if (fd > 2)
		sys_close(fd);
}

void hidden_child_enter(const int *keep, unsigned n)
{
	int kept[HIDDEN_CHILD_KEEP_MAX];

	for (unsigned i = 0; i < n; i++)
		kept[i] = keep[i];
	descriptors_close_others(kept, (int)n);
	null_streams();
	plain_signals();
	SYS1(SYS_chdir, "/");
}

pid_t hidden_child_fork(const int *keep, unsigned n, unsigned seconds)
{
	struct itimerval end = {.it_value = {.tv_sec = seconds}};
	pid_t pid;

	if (n > HIDDEN_CHILD_KEEP_MAX)
		return -EINVAL;
	pid = (pid_t)SYS5(SYS_clone, 0, 0, 0, 0, 0);
	if (emulator_refused(pid))
		pid = (pid_t)SYS5(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid)
		return pid;
	trace_active = 0;
	hidden_child_enter(keep, n);
	if (seconds)
		SYS3(SYS_setitimer, ITIMER_REAL, &end, NULL);
	return 0;
}

void hidden_child_reap(pid_t pid, int64_t patience_ns)
{
	int64_t end = sys_now_ns(CLOCK_MONOTONIC) + patience_ns, pause = PAUSE_FIRST_NS;
	unsigned tries = 0;

	for (;;) {
		long rc = SYS4(SYS_wait4, pid, NULL, __WALL | WNOHANG, NULL);

		if (rc != 0 && rc != -EINTR)
			return;
		if (sys_now_ns(CLOCK_MONOTONIC) >= end) {
			sys_kill(pid, SIGKILL);
			do
				rc = SYS4(SYS_wait4, pid, NULL, __WALL, NULL);
			while (sys_interrupted(rc, &tries));
			return;
		}
		sys_sleep_ns(pause);
		pause = pause < PAUSE_LONGEST_NS ? 2 * pause : pause;
	}
}
