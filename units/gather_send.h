/* units/gather_send.h - sends a unit to the remote store. TOOL. */
#ifndef UNITS_GATHER_SEND_H
#define UNITS_GATHER_SEND_H

#include "remote/remote.h"

/* e: entry of a parcel. Frameworks of a new node write the kernels that came with a graph, so the
 * remote store has most units that such a node offers. So it is asked first, if the unit's name is
 * a full key. A MERGED unit is merged with the unit of the remote store under its lease, and the
 * result is stored locally, too. Returns as remote_put_result; SEND_THERE: the remote store has the
 * unit. */
enum { SEND_THERE = 2 };
int gather_send(struct remote *r, struct store *s, const struct entry *e, struct arena *a,
                struct fault *fault);

#endif
