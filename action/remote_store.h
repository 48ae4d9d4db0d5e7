/* action/remote_store.h - an action and the remote store: asked after the local one, told of what was compiled, and
 * asked to let one node compile for all.
 *
 * Nothing here costs anything where no remote is configured. Connections are gone before a process forks.
 *
 * All functions: constructor of a tool, or its supervisor. Memory: the action's arena. */
#ifndef ACTION_REMOTE_STORE_H
#define ACTION_REMOTE_STORE_H

#include "action/action.h"

/* After a miss of the local store: 1 and a result that may be replayed; the local store has it, or will after the replay
 * where an output is yet to be unpacked. 0: a->start.verdict.reason and a->start.verdict.detail stand, or say more than they did. */
int remote_store_lookup(struct action *a, struct result **out);

/* All of what was fetched is known to unpack: it serves this node from now on. */
void remote_store_fill(struct action *a);

/* Instead: an output did not unpack. */
void remote_store_refuse(struct action *a);

/* Before a compile, under the local lock: 1 when another node's compile was waited for and *out is its result. 0: it is
 * ours to do, with a lease where the remote gives one. */
int remote_store_wait(struct action *a, struct result **out);

/* In the supervisor, while the tool runs: how long it may wait at most before the next call, ns, -1 for ever. Renews the
 * lease when it is time. */
int64_t remote_store_tick(struct action *a);

/* In the supervisor, or by who records nothing after all. stored: the result's and candidate's records go to the spool,
 * with the lease; else the lease is given back. */
void remote_store_done(struct action *a, const struct digest *k2, int stored, int64_t wall_ns);

/* When all that the caller waits for is done, of a recording or a replay that asked the remote store: a publisher, where
 * this action or an earlier job left something to send. */
void remote_store_publish(struct action *a);

#endif
