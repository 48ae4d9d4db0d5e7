/* jit/remote_lookup.h - the remote store, for an action inside a host. The agent looks up, and
 * sends the entries that the spool names (store/agent.h). THREAD. */
#pragma once

#include "judge/start.h"

/* After a miss in the local store. 1: the local store has got what came ahead of the job. */
int remote_lookup_ahead(struct start *s);
/* After both. 1: the local store may have the action now. Waits no longer than
 * the fetcher's deadlines, and holds no lock meanwhile. */
int remote_lookup(struct start *s);
/* Queues a stored result for the remote store, if there is one. */
void remote_lookup_publish(struct start *s, const struct digest *k2, int64_t took);
