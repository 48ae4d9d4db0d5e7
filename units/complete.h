/* units/complete.h - a framework has completed a unit: one record for the publisher
 * (units/offer.h).
 *
 * A unit that the store has already is not offered, so that the start of a job with a thousand warm
 * kernels appends nothing. The agent, which is told of it, starts a publisher where none runs
 * (store/agent.h). Part of units/host.h. errno is not kept. THREAD; not in a vfork child. */
#pragma once

#include "units/find/unit_lookup.h"

/* l is open, and l->made is set. Returns 0. */
int complete(struct unit_lookup *l);
/* The same for a file that was written in place and closed: its bytes are read for their digest. */
int complete_closed(struct unit_lookup *l);
/* The framework opened a graph to read it. If a peer made the graph, it is offered for this rank,
 * too (units/find/peers.h). */
int complete_found(struct unit_lookup *l);
