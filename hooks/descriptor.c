/* hooks/descriptor.c - dup2, by which a script uses a descriptor that it may have inherited. */
#include "hooks/event.h"

static int raw_dup2(int from, int to)
{
	if (from == to)
		return hook_result(sys_fcntl(from, F_GETFD, 0)) < 0 ? -1 : to;
	return hook_result(SYS3(SYS_dup3, from, to, 0));
}

EXPORT int dup2(int from, int to)
{
	int fd = real.dup2 ? real.dup2(from, to) : raw_dup2(from, to);

	if (__builtin_expect(trace_active, 0) && trace_process() && fd >= 0 && from > 2)
		trace_text(TRACE_DESCRIPTOR, 0, "dup2", "", trace_identity_at(fd, ""));
	return fd;
}
