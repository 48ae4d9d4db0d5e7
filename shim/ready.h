/* shim/ready.h - waits for descriptors, and ends where the system refuses to wait.
 *
 * A sandbox may refuse ppoll, or answer that nothing is ready before the time is over. Then a
 * short sleep takes its place and every descriptor is said to be ready for what was asked: the
 * caller goes on as without a wait. A caller reads from descriptors that do not block, and
 * takes -EAGAIN for "nothing is there". */
#ifndef SHIM_READY_H
#define SHIM_READY_H

#include <poll.h>
#include <stdint.h>

/* THREAD, CHILD. How many are ready, as p[].revents say. 0: the time passed (ns; -1: no limit)
 * or a signal came. */
int ready_wait(struct pollfd *p, unsigned n, int64_t ns);

#endif
