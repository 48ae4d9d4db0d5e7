/* hooks/socket.c - a tool that uses a socket: the data that it receives cannot be keyed. */
#include "hooks/event.h"

static void event_socket(const struct sockaddr *address, socklen_t len, int rc)
{
	if (trace_active && address && len >= sizeof address->sa_family &&
	    (rc == 0 || errno != EFAULT))
		trace_text(TRACE_SOCKET, 0, "", NULL, address->sa_family);
}

EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t len)
{
	int rc;

	if (HOOK_FAST(connect))
		return real.connect(fd, address.__sockaddr__, len);
	rc = HOOK_CALL(connect, SYS3(SYS_connect, fd, address.__sockaddr__, len),
	               (fd, address.__sockaddr__, len));
	event_socket(address.__sockaddr__, len, rc);
	return rc;
}

EXPORT int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t len)
{
	int rc;

	if (HOOK_FAST(bind))
		return real.bind(fd, address.__sockaddr__, len);
	rc = HOOK_CALL(bind, SYS3(SYS_bind, fd, address.__sockaddr__, len),
	               (fd, address.__sockaddr__, len));
	event_socket(address.__sockaddr__, len, rc);
	return rc;
}
