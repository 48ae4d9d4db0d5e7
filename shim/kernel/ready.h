/* shim/kernel/ready.h - waits for descriptors, and returns if the system refuses to wait.
 *
 * A sandbox may refuse ppoll, or return before the time is over with nothing ready. Then a short
 * sleep replaces it, and every descriptor is reported ready for the requested events: the caller
 * continues as without a wait. So a caller must read from non-blocking descriptors, and must treat
 * -EAGAIN as "no data". */
#pragma once

#include <poll.h>
#include <stdint.h>

/* THREAD, CHILD. Returns how many are ready, as p[].revents say. 0: the time passed (ns; -1: no
 * limit) or a signal came. */
int ready_wait(struct pollfd *p, unsigned n, int64_t ns);
