/* remote/backfill.h - what a slower store had, for the faster ones that do not have it. */
#ifndef REMOTE_BACKFILL_H
#define REMOTE_BACKFILL_H

#include "remote/server.h"

/* Notes a value that server i had, and that the servers of the bits `without` do not have. e: its
 * entry, which was checked. The blob is sent as it is, with its signature: this node need not be
 * able to sign. Nothing is noted where no faster store takes it. THREAD. */
void backfill_note(struct remote *r, unsigned i, unsigned without, enum store_class class,
                   const struct digest *key, const struct entry *e, struct backend_bytes blob);

#endif
