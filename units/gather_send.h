/* units/gather_send.h - sends a unit to the remote store. TOOL. */
#ifndef UNITS_GATHER_SEND_H
#define UNITS_GATHER_SEND_H

#include "remote/remote.h"

/* e: entry of a parcel. Frameworks of a new node write the kernels that came with a graph, so the
 * remote store has most of what such a node offers: it is asked first where the name is a full key.
 * A MERGED unit is merged with the remote one under its lease, and the result is stored here, too.
 * Returns as remote_put_result; SEND_THERE: the remote store has it. */
enum { SEND_THERE = 2 };
int gather_send(struct remote *r, struct store *s, const struct entry *e, struct arena *a,
                struct fault *fault);

#endif
