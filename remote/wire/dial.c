/* remote/wire/dial.c - makes sockets and connects them. */
#include "remote/wire/dial.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "remote/wire/resolve.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

/* A unix socket whose queue is full returns EAGAIN, and poll cannot wait for it. */
#define RETRY_NS 1000000

union address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

static long poll_until(struct pollfd *p, unsigned n, int64_t until)
{
	int64_t left = until - sys_now_ns(CLOCK_MONOTONIC);
	struct timespec ts;

	left = left > 0 ? left : 0;
	ts = (struct timespec){left / 1000000000, left % 1000000000};
	return SYS5(SYS_ppoll, p, n, &ts, NULL, SIGNALS_SET_SIZE);
}

enum wire_status dial_wait(int fd, short events, int64_t deadline)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = events};
		long rc = poll_until(&p, 1, deadline);

		if (rc > 0)
			return p.revents & POLLNVAL ? WIRE_FAULT : WIRE_OK;
		if (rc == 0 && sys_now_ns(CLOCK_MONOTONIC) >= deadline)
			return WIRE_TIMEOUT;
		if (rc < 0 && rc != -EINTR)
			return WIRE_FAULT;
	}
}

static enum wire_status status_of(int code)
{
	switch (code) {
	case EMFILE: case ENFILE: case ENOMEM: case ENOBUFS: return WIRE_FAULT;
	case ETIMEDOUT: return WIRE_TIMEOUT;
	}
	return WIRE_REFUSED;
}

static socklen_t fill_address(union address *to, const struct resolve_address *a, unsigned port)
{
	memset(to, 0, sizeof *to);
	if (a->family == 4) {
		to->in.sin_family = AF_INET;
		to->in.sin_port = htons((uint16_t)port);
		memcpy(&to->in.sin_addr, a->b, 4);
		return sizeof to->in;
	}
	to->in6.sin6_family = AF_INET6;
	to->in6.sin6_port = htons((uint16_t)port);
	to->in6.sin6_scope_id = a->scope;
	memcpy(&to->in6.sin6_addr, a->b, 16);
	return sizeof to->in6;
}

/* Makes *fd and begins to connect. 0, -EINPROGRESS, or another -errno without a descriptor. */
static int begin(int *fd, const union address *to, socklen_t len)
{
	int one = 1, rc;

	*fd = sys_above_streams((int)SYS3(SYS_socket, to->sa.sa_family,
	                                  SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	if (*fd < 0)
		return *fd;
	if (to->sa.sa_family != AF_UNIX)
		SYS5(SYS_setsockopt, *fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	rc = (int)SYS3(SYS_connect, *fd, to, len);
	/* An interrupted connect continues by itself. */
	if (rc == -EINTR)
		rc = -EINPROGRESS;
	if (rc < 0 && rc != -EINPROGRESS) {
		sys_close(*fd);
		*fd = -1;
	}
	return rc;
}

/* True if the socket is connected to itself: this happens on an ephemeral port where no server
 * listens, and would echo commands. */
static int is_itself(int fd, const union address *to)
{
	union address own;
	socklen_t len = sizeof own;

	memset(&own, 0, sizeof own);
	if (SYS3(SYS_getsockname, fd, &own, &len) < 0 || own.sa.sa_family != to->sa.sa_family)
		return 0;
	if (own.sa.sa_family == AF_INET)
		return own.in.sin_port == to->in.sin_port &&
		       own.in.sin_addr.s_addr == to->in.sin_addr.s_addr;
	return own.in6.sin6_port == to->in6.sin6_port &&
	       !memcmp(&own.in6.sin6_addr, &to->in6.sin6_addr, 16);
}

/* Result of the connect of a descriptor that poll found ready: 0 or -errno. */
static int outcome(int fd, const union address *to)
{
	int code = 0;
	socklen_t len = sizeof code;
	long rc = SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &code, &len);

	if (rc < 0 || code)
		return rc < 0 ? (int)rc : -code;
	return is_itself(fd, to) ? -ECONNREFUSED : 0;
}

struct race {
	const struct resolve_list *list;
	unsigned port, started, running;
	struct pollfd p[RESOLVE_MAX];
	union address to[RESOLVE_MAX]; /* of p[i] */
	int last;                      /* -errno of the last failed attempt */
	int winner;
};

/* Begins to connect to the next address. */
static void start_next(struct race *r)
{
	union address to;
	socklen_t len = fill_address(&to, &r->list->v[r->started++], r->port);
	int fd, rc = begin(&fd, &to, len);

	if (rc == 0 && is_itself(fd, &to)) {
		sys_close(fd);
		rc = -ECONNREFUSED;
	}
	if (rc == 0) {
		r->winner = fd;
	} else if (rc == -EINPROGRESS) {
		r->p[r->running] = (struct pollfd){.fd = fd, .events = POLLOUT};
		r->to[r->running++] = to;
	} else {
		r->last = rc;
	}
}

/* Judges the sockets that are ready: one wins, or they are dropped. Returns the number of dropped
 * ones. */
static unsigned judge(struct race *r)
{
	unsigned out = 0;

	for (unsigned i = 0; i < r->running && r->winner < 0;) {
		int rc;

		if (!r->p[i].revents) {
			i++;
			continue;
		}
		rc = outcome(r->p[i].fd, &r->to[i]);
		if (rc == 0)
			r->winner = r->p[i].fd;
		else
			sys_close(r->p[i].fd);
		r->last = rc ? rc : r->last;
		out += rc != 0;
		r->running--;
		r->p[i] = r->p[r->running];
		r->to[i] = r->to[r->running];
	}
	return out;
}

static enum wire_status race(struct race *r, int64_t deadline)
{
	int64_t next = 0;

	for (;;) {
		int64_t now = sys_now_ns(CLOCK_MONOTONIC), until;
		int more = r->started < r->list->count;

		if (now >= deadline)
			return WIRE_TIMEOUT;
		if (more && (now >= next || !r->running)) {
			start_next(r);
			next = now + DIAL_STAGGER_NS;
			if (r->winner >= 0)
				return WIRE_OK;
			continue;
		}
		if (!r->running)
			return status_of(-r->last);
		until = more && next < deadline ? next : deadline;
		long rc = poll_until(r->p, r->running, until);
		if (rc < 0 && rc != -EINTR) {
			r->last = (int)rc;
			return WIRE_FAULT;
		}
		if (rc > 0 && judge(r))
			next = 0;
		if (r->winner >= 0)
			return WIRE_OK;
	}
}

enum wire_status dial_tcp(int *fd, const char *host, unsigned port, int64_t deadline,
                          unsigned *failed, struct fault *fault)
{
	struct resolve_list list;
	struct race r = {.list = &list, .port = port, .last = -ECONNREFUSED, .winner = -1};
	enum wire_status status = resolve(&list, host, deadline, fault);

	*fd = -1;
	if (status != WIRE_OK)
		return status;
	status = race(&r, deadline);
	*failed += r.started - (status == WIRE_OK);
	for (unsigned i = 0; i < r.running; i++)
		sys_close(r.p[i].fd);
	if (status == WIRE_TIMEOUT)
		r.last = -ETIMEDOUT;
	if (status != WIRE_OK)
		fault_sys(fault, -r.last, "connect to", host);
	*fd = r.winner;
	return status;
}

enum wire_status dial_unix(int *fd, const char *path, int64_t deadline, struct fault *fault)
{
	union address to;
	enum wire_status status;
	int rc;

	memset(&to, 0, sizeof to);
	to.un.sun_family = AF_UNIX;
	*fd = -1;
	if (strlen(path) >= sizeof to.un.sun_path) {
		fault_sys(fault, ENAMETOOLONG, "connect to", path);
		return WIRE_REFUSED;
	}
	memcpy(to.un.sun_path, path, strlen(path));
	for (;;) {
		rc = begin(fd, &to, sizeof to.un);
		if (rc != -EAGAIN)
			break;
		if (sys_now_ns(CLOCK_MONOTONIC) + RETRY_NS >= deadline) {
			rc = -ETIMEDOUT;
			break;
		}
		sys_sleep_ns(RETRY_NS);
	}
	if (rc == 0)
		return WIRE_OK;
	status = status_of(-rc);
	fault_sys(fault, -rc, "connect to", path);
	return status;
}
