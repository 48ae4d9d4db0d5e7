/* remote/remote.h - the remote store: what a Redis may answer and what it is told.
 *
 * Keys (prefix P, hex of 32 bytes, the braces are Redis hash tags):
 *   P:1:m:{K1}          list of blobs, newest first, REMOTE_CANDIDATES at most: LPUSH, LTRIM, EXPIRE
 *   P:1:r:{K2}          blob of a result, or its head and first part
 *   P:1:r:{K2}:<name>:n parts 1 .. of it; written before the head
 *   P:1:l:{K1}          lease: token, with PX
 * The 1 is the version of this layout. A plain look-up that hits is two round trips: LRANGE of the manifest's
 * first REMOTE_FIRST candidates, GET of the result; the connection's AUTH and SELECT travel with the first.
 *
 * Every operation asks the breaker first, ends by its deadline, and tells the breaker what it cost. What
 * comes is checked (remote/blob.h) before it is believed, and what fails the check is counted as refused and never
 * stored. A miss is remembered for REMOTE_ABSENT_S in <runtime>/absent (fixed-size table by key), so that a cold start
 * does not ask twice, and forgotten when this node publishes the key. */
#ifndef REMOTE_REMOTE_H
#define REMOTE_REMOTE_H

#include "remote/blob.h"
#include "remote/breaker.h"
#include "remote/cluster.h"
#include "remote/spool.h"

#define REMOTE_CANDIDATES 32
#define REMOTE_FIRST 4
#define REMOTE_ABSENT_S 5

struct remote {
	int on;                /* 0: none configured, or off (fault of remote_open says why) */
	struct remote_config config;
	struct cluster cluster;
	struct trust trust;
	struct breaker breaker;
	struct store *store;
	struct arena *arena;
	int64_t waited_ns;     /* by this process */
	char refused[128];     /* why the last blob was refused, for explain */
};

/* Costs nothing but a look at the settings when no remote is configured. No connection is made here. */
int remote_open(struct remote *r, const struct settings *set, char *const envp[], const char *job,
                struct store *s, struct arena *a, struct fault *fault);
/* HIT: *count checked entries. ABSENT: Redis said there is none (or said so lately). SKIPPED: not asked, or no
 * answer: reason for people in *fault. */
enum remote_status { REMOTE_HIT, REMOTE_ABSENT, REMOTE_SKIPPED };
/* Candidates from..from+max of a manifest, newest first. more: there are further ones. */
enum remote_status remote_candidates(struct remote *r, const struct digest *k1, unsigned from,
                                     struct entry out[], unsigned max, unsigned *count, int *more,
                                     struct fault *fault);
/* A result, with its parts. expected_ns: what it saves, for the breaker; 0 unknown. */
enum remote_status remote_result(struct remote *r, const struct digest *k2, struct entry *out,
                                 struct fault *fault);
/* The publisher's side; the deadline is the transfer's. 0 acknowledged, 1 refused for good (too large, class not
 * published), -1 with *fault: try again later. */
int remote_put_candidate(struct remote *r, const struct digest *k1, const void *payload, size_t n,
                         struct fault *fault);
int remote_put_result(struct remote *r, const struct digest *k2, const void *payload, size_t n,
                      struct fault *fault);
/* Leases (remote/lease.c). 1: ours; 0: another's; -1: no answer. ms: how long it lasts. */
int remote_lease_take(struct remote *r, const struct digest *k1, unsigned char token[SPOOL_TOKEN],
                      unsigned ms);
int remote_lease_renew(struct remote *r, const struct digest *k1, const unsigned char token[SPOOL_TOKEN],
                       unsigned ms);
/* Compare and delete. */
void remote_lease_release(struct remote *r, const struct digest *k1,
                          const unsigned char token[SPOOL_TOKEN]);
/* Connections go; in a forked child remote_forget instead. */
void remote_close(struct remote *r);
void remote_forget(struct remote *r);

#endif
