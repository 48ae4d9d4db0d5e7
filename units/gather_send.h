/* units/gather_send.h - a unit on its way to the remote store. TOOL. */
#ifndef UNITS_GATHER_SEND_H
#define UNITS_GATHER_SEND_H

#include "remote/remote.h"

/* e: entry of a parcel. A fresh node's frameworks write down what they had from a graph, so most of what
 * it offers the remote has: that is asked first where the name is a full key. A MERGED one is joined
 * with what is there, under its lease, and what comes of it stays here as well. As remote_put_result;
 * SEND_THERE: it has it. */
enum { SEND_THERE = 2 };
int gather_send(struct remote *r, struct store *s, const struct entry *e, struct arena *a, struct fault *fault);

#endif
