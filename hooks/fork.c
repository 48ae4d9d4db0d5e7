/* hooks/fork.c - fork and the ends of a process. vfork is never wrapped: it returns twice. */

#include "hooks/drawn.h"
#include "jit/jit.h"
#include "shim/loader/real.h"
#include "shim/trace.h"
#include "units/host.h"

/* For a libc without fork. */
static pid_t kernel_fork(void)
{
	long rc = SYS5(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (rc < 0)
		errno = (int)-rc;
	return rc < 0 ? -1 : (pid_t)rc;
}

EXPORT pid_t fork(void)
{
	pid_t pid = REAL(fork) ? REAL(fork)() : kernel_fork();

	if (pid == 0) {
		unit_after_fork();
		jit_after_fork();
		if (trace_active)
			trace_after_fork();
		drawn_after_fork();
	}
	return pid;
}

EXPORT void _exit(int status)
{
	if (trace_active)
		trace_bye();
	sys_exit_group(status);
}

EXPORT void _Exit(int status)
{
	if (trace_active)
		trace_bye();
	sys_exit_group(status);
}
