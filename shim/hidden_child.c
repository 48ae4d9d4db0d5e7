/* shim/hidden_child.c - children with exit signal 0. */
#include "shim/hidden_child.h"

#include <sys/time.h>
#include <sys/wait.h>

#include "shim/descriptors.h"
#include "shim/signals.h"
#include "shim/sys.h"
#include "shim/trace.h"

#include "shim/banned.h"

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
		long rc = SYS4(SYS_wait4, pid, NULL, __WCLONE | WNOHANG, NULL);

		if (rc != 0 && rc != -EINTR)
			return;
		if (sys_now_ns(CLOCK_MONOTONIC) >= end) {
			sys_kill(pid, SIGKILL);
			do
				rc = SYS4(SYS_wait4, pid, NULL, __WCLONE, NULL);
			while (sys_interrupted(rc, &tries));
			return;
		}
		sys_sleep_ns(pause);
		pause = pause < PAUSE_LONGEST_NS ? 2 * pause : pause;
	}
}
