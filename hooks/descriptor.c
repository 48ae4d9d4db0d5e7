/* hooks/descriptor.c - flock, close, connect and bind. */
#include <sys/file.h>

#include "hooks/drawn.h"
#include "hooks/event.h"
#include "shim/path.h"

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
