/* shim/kernel/ready.c - ppoll, and its replacement. */
#include "shim/kernel/ready.h"

#include "shim/kernel/signals.h"

#include "shim/banned.h"

/* Replaces a wait: short enough for a process that waits for a compiler's output, and long enough
 * to cost nothing. */
#define NAP_NS 2000000

/* A filter may return EINTR each time. The waits of all threads share the count: a wrong count only
 * moves a sleep. */
static int interrupted(long rc)
{
	static unsigned tries;
	unsigned seen = __atomic_load_n(&tries, __ATOMIC_RELAXED);
	int again = sys_interrupted(rc, &seen);

	__atomic_store_n(&tries, rc == -EINTR ? seen : 0, __ATOMIC_RELAXED);
	return again;
}

int ready_wait(struct pollfd *p, unsigned n, int64_t ns)
{
	struct timespec limit = {ns / 1000000000, ns % 1000000000};
	long rc = SYS5(SYS_ppoll, p, n, ns < 0 ? NULL : &limit, NULL, SIGNALS_SET_SIZE);
	int ready = 0, again = interrupted(rc);

	/* 0 without a limit: the call did not wait. */
	if (rc > 0 || (rc == 0 && ns >= 0))
		return (int)rc;
	for (unsigned i = 0; i < n; i++)
		p[i].revents = 0;
	if (again)
		return 0;
	sys_sleep_ns(ns >= 0 && ns < NAP_NS ? ns : NAP_NS);
	for (unsigned i = 0; i < n; i++) {
		p[i].revents = p[i].fd < 0 ? 0 : p[i].events;
		ready += p[i].revents != 0;
	}
	return ready;
}
