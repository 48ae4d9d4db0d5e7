/* hooks/process.c - fork and the ends of a process. vfork is never wrapped: it returns twice. */
#include <unistd.h>

#include "jit/state.h"
#include "shim/real.h"
#include "shim/sys.h"
#include "shim/trace.h"
#include "units/host.h"

EXPORT pid_t fork(void)
{
	pid_t pid = REAL(fork)();

	if (pid == 0) {
		unit_after_fork();
		jit_after_fork();
		if (trace_active)
			trace_after_fork();
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
