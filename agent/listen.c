/* agent/listen.c - the agent's side of its socket. */
#include "agent/listen.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shim/kernel/sys.h"
#include "store/agent.h"

/* A client that ends makes room. */
#define PAUSE_NS 2000000ll

int listen_accept(int listening)
{
	for (;;) {
		int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0 && agent_peer_is_ours(fd))
			return fd;
		if (fd >= 0) {
			close(fd);
			continue;
		}
		switch (errno) {
		case EMFILE:
		case ENFILE:
		case ENOMEM:
			sys_sleep_ns(PAUSE_NS);
			return -EAGAIN;
		case EINTR:
		case ECONNABORTED:
			return -EAGAIN;
		default:
			return -errno;
		}
	}
}
