/* action/remote_store.h - an action's use of the remote store.
 *
 * The remote store is asked after the local store. It receives the results that this node compiles.
 * Its leases let one node compile for all nodes.
 *
 * Nothing here costs time if no remote store is configured. Connections are closed before a process
 * forks.
 *
 * All functions: constructor of a tool, or its supervisor. Memory: the action's arena. */
#ifndef ACTION_REMOTE_STORE_H
#define ACTION_REMOTE_STORE_H

#include "action/action.h"

/* Call it after a miss of the local store. 1: *out is a result that may be replayed. The local
 * store has this result, or gets it after the replay if an output is not unpacked yet. 0:
 * start_missed() may know more. */
int remote_store_lookup(struct action *a, struct result **out);

/* All outputs of the fetched result unpack. Stores the fetched entries in the local store. */
void remote_store_fill(struct action *a);

/* Call it instead of remote_store_fill() if an output does not unpack. Counts and logs the refusal,
 * and the local store does not get the result. */
void remote_store_refuse(struct action *a);

/* Call it before a compile, under the local lock. 1: another node compiled, and *out is its result.
 * 0: this node must compile, with a lease if the remote store grants leases. */
int remote_store_wait(struct action *a, struct result **out);

/* For the supervisor, while the tool runs. Renews the lease when it is time. Returns the longest
 * wait in ns until the next call, -1 for ever. */
int64_t remote_store_tick(struct action *a);

/* For the supervisor, or for a process that records nothing after all. stored: writes the records
 * of result and candidate to the spool, with the lease, and tells the agent. Otherwise gives the
 * lease back. */
void remote_store_done(struct action *a, const struct digest *k2, int stored, int64_t wall_ns);

#endif
