/* remote/wire/resolve.h - addresses of a host, by a deadline.
 *
 * getaddrinfo(3) has no deadline. Numeric addresses and "localhost" are parsed here. For a name, a
 * hidden child (shim/kernel/hidden_child.h) calls getaddrinfo. The process remembers the
 * addresses, which are valid for RESOLVE_FRESH_S. A child that is late goes on for at most
 * RESOLVE_CHILD_S, and the next call for that name hears its answer. Meanwhile, and if a look-up
 * fails, addresses are used for up to RESOLVE_STALE_S. As hidden_child_fork: only where no other
 * thread runs. */
#pragma once

#include <stdint.h>

#include "remote/wire/status.h"
#include "shim/fault.h"

#define RESOLVE_MAX 8
#define RESOLVE_FRESH_S 60
#define RESOLVE_STALE_S (24 * 3600)
#define RESOLVE_CHILD_S 30

struct resolve_address {
	uint32_t family; /* 4 or 6 */
	uint32_t scope;  /* of a link-local IPv6 address */
	unsigned char b[16];
};
struct resolve_list {
	uint32_t count;
	struct resolve_address v[RESOLVE_MAX]; /* best first, families alternating */
};

/* WIRE_OK with at least one address; WIRE_REFUSED (no such name), WIRE_TIMEOUT or WIRE_FAULT with
 * *fault. */
enum wire_status resolve(struct resolve_list *out, const char *host, int64_t deadline,
                         struct fault *fault);
/* Forgets all addresses, and children that are at work. */
void resolve_forget(void);
