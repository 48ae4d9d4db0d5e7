/* action/remote_flight.h - one node compiles for all nodes: leases of the remote store, and what an
 * action leaves there.
 *
 * All functions: constructor of a tool, or its supervisor. Memory: the action's arena. */
#ifndef ACTION_REMOTE_FLIGHT_H
#define ACTION_REMOTE_FLIGHT_H

#include "action/action.h"

/* Call it before a compile, under the local lock. 1: another node compiled, and *out is its result.
 * 0: this node must compile, with a lease if the remote store grants leases. */
int remote_flight_wait(struct action *a, struct result **out);

/* For the supervisor, while the tool runs. Renews the lease when it is time. Returns the longest
 * wait in ns until the next call, -1 for ever. */
int64_t remote_flight_tick(struct action *a);

/* For the supervisor, or for a process that records nothing after all. stored: writes the records
 * of result and candidate to the spool, with the lease, and tells the agent. Otherwise gives the
 * lease back. */
void remote_flight_done(struct action *a, const struct digest *k2, int stored, int64_t wall_ns);

#endif
