/* remote/dir/responds.c - whether a file server answers. */
#include "remote/dir/responds.h"

#include <poll.h>
#include <sys/wait.h>

#include "shim/kernel/hidden_child.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

#define MS 1000000ll
/* Ends the child if this process is killed meanwhile. */
#define CHILD_SECONDS 30
/* A killed child is looked for so long. One that cannot be killed is left. */
#define REAP_NS (20 * MS)

static void end_child(pid_t pid)
{
	int64_t end = sys_now_ns(CLOCK_MONOTONIC) + REAP_NS;

	sys_kill(pid, SIGKILL);
	while (SYS4(SYS_wait4, pid, NULL, __WALL | WNOHANG, NULL) == 0 &&
	       sys_now_ns(CLOCK_MONOTONIC) < end)
		sys_sleep_ns(MS);
}

/* Waits until the other end of the pipe is closed. 1, or 0 at the deadline. */
static int is_closed(int fd, int64_t deadline)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	for (;;) {
		int64_t left = deadline - sys_now_ns(CLOCK_MONOTONIC);
		struct timespec ts = {left / 1000000000, left % 1000000000};
		long rc;

		if (left <= 0)
			return 0;
		rc = SYS5(SYS_ppoll, &p, 1, &ts, NULL, 0);
		if (rc > 0)
			return 1;
		if (rc < 0 && rc != -EINTR)
			return 1;
	}
}

int directory_responds(const char *path, int64_t deadline)
{
	int fds[2], answers;
	pid_t pid;

	if (sys_pipe2(fds, O_CLOEXEC) < 0)
		return 1;
	fds[0] = sys_above_streams(fds[0]);
	fds[1] = sys_above_streams(fds[1]);
	pid = hidden_child_fork(&fds[1], 1, CHILD_SECONDS);
	if (pid == 0) {
		sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
		sys_exit_group(0);
	}
	sys_close(fds[1]);
	answers = pid < 0 || is_closed(fds[0], deadline);
	sys_close(fds[0]);
	if (pid > 0)
		end_child(pid);
	return answers;
}
