/* remote/transfer.h - the event that each exchange with the server leaves (store/events.h).
 *
 *     transfer_begin(&t, r);
 *     ... commands ...
 *     transfer_end(&t, r, EVENT_HIT, class, key, NULL);
 *
 * The event belongs to r->job. Its time and bytes are those of the exchange. Its tool is the remote
 * store's name, its command class and address. Nothing is kept where r->job is NULL.
 *
 * Functions without a mark run where those of remote/remote.h do: only where no other thread
 * runs. */
#ifndef REMOTE_TRANSFER_H
#define REMOTE_TRANSFER_H

#include "remote/server.h"
#include "store/event.h"

struct transfer {
	int64_t start;
	uint64_t in, out; /* bytes before */
	unsigned asked;   /* look-ups before */
};
void transfer_begin(struct transfer *t, const struct remote *r);
/* THREAD. 1: since transfer_begin() a look-up asked the server, and did not only remember. */
int transfer_asked(const struct transfer *t, const struct remote *r);
/* verdict: HIT received, STORED sent, MISS absent, ERROR. why: of ERROR, for people; else NULL. */
void transfer_end(const struct transfer *t, struct remote *r, enum event_verdict verdict,
                  enum store_class class, const struct digest *key, const char *why);

#endif
