/* remote/wire/dial.h - connects to a server by a deadline.
 *
 * Addresses are tried as in "happy eyeballs": the next attempt starts when the previous one fails
 * or does not answer for DIAL_STAGGER_NS, and the first that connects wins. So one dead address of
 * several costs little. Descriptors are non-blocking, close-on-exec, never 0-2; all calls are raw
 * (hooks count a traced tool's connections, but not ours). As resolve(): only where no other thread
 * runs. */
#pragma once

#include <stdint.h>

#include "remote/wire/status.h"
#include "shim/fault.h"

/* Several round trips of a cluster's network, a fraction of a look-up's deadline. */
#define DIAL_STAGGER_NS 30000000

/* THREAD. Waits for events of poll(2) on one descriptor. Also WIRE_OK for POLLERR and POLLHUP. */
enum wire_status dial_wait(int fd, short events, int64_t deadline);
/* *failed is increased by the number of addresses that did not answer. */
enum wire_status dial_tcp(int *fd, const char *host, unsigned port, int64_t deadline,
                          unsigned *failed, struct fault *fault);
/* THREAD. */
enum wire_status dial_unix(int *fd, const char *path, int64_t deadline, struct fault *fault);
