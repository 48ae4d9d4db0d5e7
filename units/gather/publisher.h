/* units/gather/publisher.h - the publisher: packs offered units and sends what the spool names, in
 * the background.
 *
 * There is one for each store, user and remote store (remote/tag.c) of a node (store/queue/spool.h:
 * its lock). Supervisors start it (publisher_start), as do hosts (remote/background.h) and the
 * user (`reprise publish`). It puts offered units (units/gather/gather.h) into the local store,
 * with or without a remote store, and spools records for the remote store. Records whose lease
 * other nodes wait for go first, then offers, then other records. A result goes before the
 * candidate that names it. A lease is renewed while its record waits, and released when the
 * candidate is sent or given up. While Redis is away, records stay in the spool and Redis is tried
 * again with growing pauses.
 *
 * A killed publisher loses nothing: the next publisher does the rest of its work, and some of the
 * work twice. TOOL. */
#ifndef UNITS_GATHER_PUBLISHER_H
#define UNITS_GATHER_PUBLISHER_H

#include "remote/remote.h"
#include "store/entry/result.h"

/* A build's next miss mostly comes sooner. Starting a process again costs less than keeping it. */
#define PUBLISH_IDLE_NS 5000000000ll
/* A job's first pause. While a job starts, it needs all processors for itself. */
#define PUBLISH_QUIET_NS 1000000000ll
#define PUBLISH_QUIET_MOST 15
/* Without a server for so long it ends. Records wait in files for the publisher that the next
 * compile, unit or drain starts. */
#define PUBLISH_AWAY_NS 3000000000ll

struct publisher {
	struct store *store;
	/* its arena is replaced; where it is off, offers are packed and nothing is sent */
	struct remote *remote;
	enum compress_mode compress; /* of units */
	unsigned lease_ms;     /* 0: leases are not renewed */
	int64_t idle_ns;       /* it ends after so long without work; 0: at once */
	int64_t away_ns;       /* it ends after so long without success, unless it stays */
	/* before it packs or sends what no other node waits for, nothing new has come for so
	 * long; at most PUBLISH_QUIET_MOST times so long, and not while a user waits */
	int64_t quiet_ns;
	int64_t deadline;      /* CLOCK_MONOTONIC, 0: none; cuts a transfer, too */
	int hurried;           /* a user waits: it ends when the server refuses */
	/* it stays while processes live that may remove offered units; else such offers stay in the
	 * queue */
	int stays;
	/* called with the number of units and records that are left, more often than a person
	 * reads; NULL: not called */
	void (*progress)(size_t left);
};
/* IDLE: nothing waits. REFUSED: records wait that may not be published, or that the server
 * refuses. */
enum publish_end { PUBLISH_IDLE, PUBLISH_AWAY, PUBLISH_TIME, PUBLISH_REFUSED, PUBLISH_BUSY,
                  PUBLISH_FAULT };

/* Takes the lock and works. BUSY: another publisher has it. FAULT: no spool or no runtime
 * directory. *fault: why it did not end IDLE. */
enum publish_end publish_serve(struct publisher *p, struct fault *fault);
/* Works until nothing waits, also with the help of another publisher, or until the deadline. 0, or
 * -1 with *fault. */
int publish_drain(struct publisher *p, struct fault *fault);

#endif
