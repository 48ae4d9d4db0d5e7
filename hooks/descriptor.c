/* hooks/descriptor.c - dup2, by which a script uses a descriptor that it may have inherited. */
#include <sys/file.h>

#include "hooks/drawn.h"
#include "hooks/event.h"
#include "shim/path.h"

static int raw_dup2(int from, int to)
{
	if (from == to)
		return hook_result(sys_fcntl(from, F_GETFD, 0)) < 0 ? -1 : to;
	return hook_result(SYS3(SYS_dup3, from, to, 0));
}

EXPORT int dup2(int from, int to)
{
	int fd = real.dup2 ? real.dup2(from, to) : raw_dup2(from, to);

	if (__builtin_expect(drawn_device >= 0, 0) && from == drawn_device)
		drawn_copied();
	if (__builtin_expect(trace_active, 0) && trace_process() && fd >= 0 && from > 2)
		trace_text(TRACE_DESCRIPTOR, 0, "dup2", "", trace_identity_at(fd, ""));
	return fd;
}

/* Flock and close, which complete files of frameworks. TorchAir takes a lock when it begins to
 * write a module; copying a module takes none. JAX closes a file that it has written in place. */

EXPORT int flock(int fd, int operation)
{
	int rc = HOOK_CALL(flock, SYS2(SYS_flock, fd, operation), (fd, operation));

	if (rc == 0 && operation & LOCK_EX)
		unit_locked(fd);
	return rc;
}

static HOOK_SLOW int close_slow(int fd)
{
	char path[PATH_SIZE];
	uint64_t made = unit_closing(fd, path);
	int rc = HOOK_CALL(close, SYS1(SYS_close, fd), (fd));

	if (rc == 0 && made)
		unit_closed(path, made);
	return rc;
}

EXPORT int close(int fd)
{
	if (unit_awaits(fd))
		return close_slow(fd);
	if (__builtin_expect(drawn_device >= 0, 0) && fd == drawn_device)
		drawn_closed();
	return HOOK_CALL(close, SYS1(SYS_close, fd), (fd));
}

/* A tool that uses a socket: the data that it receives cannot be keyed. */

static void event_socket(const struct sockaddr *address, socklen_t len, int rc)
{
	if (trace_active && address && len >= sizeof address->sa_family &&
	    (rc == 0 || errno != EFAULT))
		trace_text(TRACE_SOCKET, 0, "", NULL, address->sa_family);
}

HOOK_TRACED(int, connect, (int fd, __CONST_SOCKADDR_ARG address, socklen_t len),
            (fd, address.__sockaddr__, len), SYS3(SYS_connect, fd, address.__sockaddr__, len),
            event_socket(address.__sockaddr__, len, rc))
HOOK_TRACED(int, bind, (int fd, __CONST_SOCKADDR_ARG address, socklen_t len),
            (fd, address.__sockaddr__, len), SYS3(SYS_bind, fd, address.__sockaddr__, len),
            event_socket(address.__sockaddr__, len, rc))
