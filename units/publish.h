/* units/publish.h - the publisher: packs what offers name and sends what the spool names, in nobody's
 * way.
 *
 * One per store, user and remote (remote/tag.h) of a node (remote/spool.h: its lock), started by supervisors
 * (remote/starter.h), by hosts (units/background.h) or by hand (`reprise publish`). Offers of units
 * (units/gather.h) go into the local store, with or without a remote; records of what goes to the remote
 * come of that. Records whose lease others wait for go first, then offers, then the rest, a result
 * before the candidate that names it; a lease is renewed while its record waits and released when the
 * candidate is there to be found, or never will be. While Redis is away records stay in the spool and it
 * is asked again with growing pauses.
 *
 * Killed at any moment it loses nothing: its successor does what was not done, some of it twice. TOOL. */
#ifndef UNITS_PUBLISH_H
#define UNITS_PUBLISH_H

#include "remote/remote.h"
#include "store/compress.h"

/* A build's next miss mostly comes sooner; starting a process costs less than keeping one. */
#define PUBLISH_IDLE_NS 5000000000ll
/* With no server for so long it leaves the spool to the publisher that the next compile, unit
 * or drain starts: a job has one process less, and what waits lies in files. */
#define PUBLISH_AWAY_NS 3000000000ll

struct publisher {
	struct store *store;
	struct remote *remote; /* its arena is taken over; one that is off: offers are packed, nothing is sent */
	enum compress_mode compress; /* of what is packed */
	unsigned lease_ms;     /* 0: leases are not renewed */
	int64_t idle_ns;       /* with nothing to do for so long it ends; 0: at once */
	int64_t away_ns;       /* with no success for so long it ends, unless it stays */
	int64_t deadline;      /* CLOCK_MONOTONIC, 0: none; a transfer under way is cut then, too */
	int hurried;           /* somebody waits: a server that refuses ends it */
	int stays;             /* while processes live whose offers wait for their end; else these stay in the queue */
};
/* IDLE: nothing waits. REFUSED: something does, and may not be published, or the server lets us not. */
enum publish_end { PUBLISH_IDLE, PUBLISH_AWAY, PUBLISH_TIME, PUBLISH_REFUSED, PUBLISH_BUSY, PUBLISH_FAULT };

/* Takes the lock and works. BUSY: another one has it. FAULT: no spool, no runtime directory. *fault: why it
 * did not end IDLE. */
enum publish_end publish_serve(struct publisher *p, struct fault *fault);
/* Until nothing waits, whoever empties it, or the deadline. 0, or -1 with *fault. */
int publish_drain(struct publisher *p, struct fault *fault);

#endif
