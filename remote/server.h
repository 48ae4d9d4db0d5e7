/* remote/server.h - the server behind a struct remote: its connections, commands and breaker. Only
 * for remote/ and for checks of the server itself.
 *
 * Keys (prefix P, hex of 32 bytes, the braces are Redis hash tags):
 *   P:1:m:{K1}          list of blobs, newest first, at most REMOTE_CANDIDATES: LPUSH, LTRIM,
 *                       EXPIRE
 *   P:1:r:{K2}          blob of a result, or its head and first part
 *   P:1:r:{K2}:<name>:n parts 1 .. of it; written before the head
 *   P:1:s:{unit}        as m, for a set of the frameworks' caches: its members
 *   P:1:u:{unit}        as r, for a parcel
 *   P:1:j:{node}        as r, for what a node did in a job (store/job/job_node.h), and as m, for
 *                       the lists that name these
 *   P:1:l:{K1}          lease: token, with PX; also of a unit that is joined with what is there
 * The 1 is the version of this layout. A plain look-up that hits takes two round trips: LRANGE of
 * the manifest's first REMOTE_FIRST candidates (with LLEN), GET of the result; the connection's
 * AUTH and SELECT are sent with the first. Commands that write wait for the replies to AUTH and
 * SELECT (remote/wire/wire.h).
 *
 * Functions without a mark run where those of remote/remote.h do: only where no other thread
 * runs. */
#ifndef REMOTE_SERVER_H
#define REMOTE_SERVER_H

#include "remote/breaker.h"
#include "remote/remote.h"
#include "remote/wire/cluster.h"
#include "store/negative_cache.h"
#include "store/trust.h"

struct remote_server {
	struct remote_config config;
	const char *address;   /* for people, without secrets */
	struct cluster cluster;
	struct trust trust;
	struct breaker breaker;
	struct negative_cache absent;
	struct store *store;
	uint64_t bytes_in, bytes_out; /* already in the counters */
	unsigned asked;        /* look-ups that the breaker let pass */
	/* part of the remote's `taken` that the candidates of the current look-up take */
	uint64_t unpacked;
	int no_eval;           /* the server refuses scripts */
};

/* Runs commands of one key on its node. Replies in *out. An error reply ends as WIRE_SERVER
 * (WIRE_DENIED for NOPERM), with *fault, unless errors_too. Bytes are counted. */
enum wire_status remote_run(struct remote *r, const struct digest *key,
                            const struct cluster_command *v, unsigned count, int64_t deadline,
                            int errors_too, struct wire **out, struct fault *fault);
/* THREAD. The status of the first error among the replies, with *fault. */
enum wire_status remote_judge(const struct wire *w, struct fault *fault);
/* Begins a look-up: 0, or -1 with *fault if the breaker forbids it. *deadline counts from now. */
int remote_begin(struct remote *r, int64_t *start, int64_t *deadline, struct fault *fault);
/* THREAD. What the breaker is told of this status. */
enum breaker_outcome remote_outcome(enum wire_status s);
void remote_end(struct remote *r, int64_t start, enum wire_status s);
/* THREAD. Deadline of a transfer of that many bytes that began at start. */
int64_t remote_transfer_deadline(const struct remote *r, int64_t start, uint64_t bytes);

#endif
