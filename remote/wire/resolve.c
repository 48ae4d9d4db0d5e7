/* remote/wire/resolve.c - resolves names, and remembers their addresses. */
#include "remote/wire/resolve.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "shim/digest.h"
#include "shim/kernel/hidden_child.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"

/* A child ends as soon as it has answered. */
#define REAP_NS 100000000

/* Answer of the child; gai is 0 or getaddrinfo's code. */
struct answer {
	int gai;
	struct resolve_list list;
};

/* The names that this process asked for: those of a cluster's nodes. A new one takes the place of
 * the one that was asked for first. */
#define NAMES 32
struct name {
	struct digest host;
	struct resolve_list list; /* count 0: not known yet */
	int64_t at;               /* CLOCK_BOOTTIME of the list */
	pid_t owner, child;       /* child: at work for the owner; 0: there is none */
	int fd;                   /* its answer */
};
static struct name names[NAMES];
static unsigned last;

static int add_address(struct resolve_list *l, const struct sockaddr *sa)
{
	struct resolve_address *a = &l->v[l->count];

	if (l->count == RESOLVE_MAX)
		return 0;
	memset(a, 0, sizeof *a);
	if (sa->sa_family == AF_INET) {
		a->family = 4;
		memcpy(a->b, &((const struct sockaddr_in *)sa)->sin_addr, 4);
	} else if (sa->sa_family == AF_INET6) {
		a->family = 6;
		a->scope = ((const struct sockaddr_in6 *)sa)->sin6_scope_id;
		memcpy(a->b, &((const struct sockaddr_in6 *)sa)->sin6_addr, 16);
	} else {
		return 0;
	}
	for (unsigned i = 0; i < l->count; i++)
		if (!memcmp(&l->v[i], a, sizeof *a))
			return 0;
	l->count++;
	return 1;
}

/* Alternates the families, so that an unreachable family costs one pause (remote/wire/dial.c). */
static void take_turns(struct resolve_list *l)
{
	for (unsigned i = 1; i < l->count; i++) {
		unsigned k = i;

		while (k < l->count && l->v[k].family == l->v[i - 1].family)
			k++;
		if (k == l->count)
			return;
		struct resolve_address other = l->v[k];
		memmove(&l->v[i + 1], &l->v[i], (k - i) * sizeof other);
		l->v[i] = other;
	}
}

/* Calls getaddrinfo and returns its code. */
static int ask(struct resolve_list *out, const char *host, int flags)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags}, *found = NULL;
	int rc = getaddrinfo(host, NULL, &hints, &found);

	out->count = 0;
	if (rc)
		return rc;
	for (struct addrinfo *p = found; p; p = p->ai_next)
		add_address(out, p->ai_addr);
	freeaddrinfo(found);
	take_turns(out);
	return out->count ? 0 : EAI_NONAME;
}

static int is_numeric(const char *host)
{
	return strchr(host, ':') || !host[strspn(host, "0123456789.")];
}

/* Waits for the child's answer. 1: it came; 0: the deadline passed; -1: the child ended without an
 * answer. */
static int await_answer(int fd, struct answer *answer, int64_t deadline)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int64_t left = deadline - sys_now_ns(CLOCK_MONOTONIC), wait = left > 0 ? left : 0;
		struct timespec ts = {wait / 1000000000, wait % 1000000000};

		long rc = SYS5(SYS_ppoll, &p, 1, &ts, NULL, SIGNALS_SET_SIZE);
		if (rc > 0)
			return sys_read_all(fd, answer, sizeof *answer) == sizeof *answer ? 1 : -1;
		if (rc < 0 && rc != -EINTR)
			return -1;
		if (left <= 0)
			return 0;
	}
}

static _Noreturn void child(const char *host, int fd)
{
	struct answer answer;

	memset(&answer, 0, sizeof answer);
	answer.gai = ask(&answer.list, host, 0);
	/* If the parent has closed its end: SIGPIPE, which is as good as the exit. */
	sys_write_all(fd, &answer, sizeof answer);
	sys_exit_group(0);
}

static void forget_child(struct name *n, int64_t patience_ns)
{
	if (!n->child)
		return;
	sys_close(n->fd);
	if (n->owner == sys_getpid())
		hidden_child_reap(n->child, patience_ns);
	n->child = 0;
}

/* 0, or -1 without a child. */
static int start_child(struct name *n, const char *host)
{
	int fds[2], rc = sys_pipe2(fds, O_CLOEXEC);
	pid_t pid = -1;

	if (rc < 0)
		return -1;
	fds[0] = sys_above_streams(fds[0]);
	fds[1] = sys_above_streams(fds[1]);
	if (fds[0] >= 0 && fds[1] >= 0)
		pid = hidden_child_fork(&fds[1], 1, RESOLVE_CHILD_S);
	if (pid == 0)
		child(host, fds[1]);
	if (fds[1] >= 0)
		sys_close(fds[1]);
	if (pid > 0) {
		n->child = pid;
		n->owner = sys_getpid();
		n->fd = fds[0];
	} else if (fds[0] >= 0) {
		sys_close(fds[0]);
	}
	return pid > 0 ? 0 : -1;
}

static struct name *name_of(const char *host)
{
	struct digest d;

	digest_name(&d, host, strlen(host));
	for (unsigned i = 0; i < NAMES; i++)
		if (digest_equal(&names[i].host, &d)) {
			/* The child of another process answers that process. */
			if (names[i].owner != sys_getpid())
				forget_child(&names[i], 0);
			return &names[i];
		}
	struct name *n = &names[last++ % NAMES];
	forget_child(n, 0);
	*n = (struct name){.host = d};
	return n;
}

/* 1 if the addresses are at most so old. */
static int knows(const struct name *n, int64_t s)
{
	return n->list.count && sys_now_ns(CLOCK_BOOTTIME) - n->at < s * 1000000000;
}

/* Asks a child, or hears the one that is at work. */
static enum wire_status ask_name(struct name *n, const char *host, int64_t deadline,
                                 struct fault *fault)
{
	int64_t now = sys_now_ns(CLOCK_MONOTONIC), patience = deadline - now;
	struct answer answer = {.gai = 0};
	int rc, was_at_work = n->child != 0;

	/* With old addresses to fall back on, half of the time is left for the connection. A child
	 * that is late already is not waited for. */
	if (knows(n, RESOLVE_STALE_S))
		patience = was_at_work ? 0 : patience / 2;
	rc = was_at_work || start_child(n, host) == 0
	     ? await_answer(n->fd, &answer, now + patience) : -1;
	if (rc)
		forget_child(n, REAP_NS);
	if (rc > 0 && !answer.gai && answer.list.count && answer.list.count <= RESOLVE_MAX) {
		n->list = answer.list;
		n->at = sys_now_ns(CLOCK_BOOTTIME);
		return WIRE_OK;
	}
	if (knows(n, RESOLVE_STALE_S))
		return WIRE_OK;
	if (rc == 0) {
		fault_set(fault, ETIMEDOUT, "look up %s: timed out", host);
		return WIRE_TIMEOUT;
	}
	if (rc < 0) {
		fault_set(fault, EAGAIN, "look up %s: no answer from the child", host);
		return WIRE_FAULT;
	}
	fault_set(fault, ENOENT, "look up %s: %s", host, gai_strerror(answer.gai));
	return WIRE_REFUSED;
}

enum wire_status resolve(struct resolve_list *out, const char *host, int64_t deadline,
                         struct fault *fault)
{
	static const struct sockaddr_in loop4 = {.sin_family = AF_INET};
	static const struct sockaddr_in6 loop6 = {.sin6_family = AF_INET6,
	                                          .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	enum wire_status s = WIRE_OK;
	struct name *n;

	memset(out, 0, sizeof *out);
	if (!strcasecmp(host, "localhost")) {
		struct sockaddr_in sin = loop4;

		sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		add_address(out, (const struct sockaddr *)&sin);
		add_address(out, (const struct sockaddr *)&loop6);
		return WIRE_OK;
	}
	if (is_numeric(host)) {
		int rc = ask(out, host, AI_NUMERICHOST);

		if (!rc)
			return WIRE_OK;
		fault_set(fault, ENOENT, "%s is not an address: %s", host, gai_strerror(rc));
		return WIRE_REFUSED;
	}
	n = name_of(host);
	if (!knows(n, RESOLVE_FRESH_S))
		s = ask_name(n, host, deadline, fault);
	if (s == WIRE_OK)
		*out = n->list;
	return s;
}

void resolve_forget(void)
{
	for (unsigned i = 0; i < NAMES; i++)
		forget_child(&names[i], 0);
	memset(names, 0, sizeof names);
}
