/* remote/remote.h - the remote store: its keys in Redis, look-ups and puts.
 *
 * Keys (prefix P, hex of 32 bytes, the braces are Redis hash tags):
 *   P:1:m:{K1}          list of blobs, newest first, at most REMOTE_CANDIDATES: LPUSH, LTRIM,
 *                       EXPIRE
 *   P:1:r:{K2}          blob of a result, or its head and first part
 *   P:1:r:{K2}:<name>:n parts 1 .. of it; written before the head
 *   P:1:s:{unit}        as m, for a set of the frameworks' caches: its members
 *   P:1:u:{unit}        as r, for a parcel
 *   P:1:l:{K1}          lease: token, with PX; also of a unit that is joined with what is there
 * The 1 is the version of this layout. A plain look-up that hits takes two round trips: LRANGE of
 * the manifest's first REMOTE_FIRST candidates (with LLEN), GET of the result; the connection's
 * AUTH and SELECT are sent with the first. Commands that write wait for the replies to AUTH and
 * SELECT (remote/wire.h).
 *
 * Look-ups and lease_take ask the breaker first, end by their deadline, and report their cost to
 * the breaker. Puts, renewals and releases are for the publisher, which waits for nobody and delays
 * nobody. Every blob is checked (store/blob.h) before it is used; a blob that fails the check is
 * counted as refused and never returned. An absence is remembered for some seconds
 * (store/negative_cache.h), so that a cold start does not ask twice, and forgotten when this node
 * publishes the key.
 *
 * Allocates (hiredis does). Only where no other thread runs; after a fork the child may only
 * close. */
#ifndef REMOTE_REMOTE_H
#define REMOTE_REMOTE_H

#include "remote/breaker.h"
#include "remote/cluster.h"
#include "store/blob.h"
#include "store/negative_cache.h"
#include "store/spool.h"

#define REMOTE_CANDIDATES 32
#define REMOTE_FIRST 4
/* A candidate is one value; a candidate with 40,000 probes packs into a quarter of this size. */
#define REMOTE_CANDIDATE_MAX (4u << 20)
/* Limit of what the candidates of a look-up may decompress to, refused ones included; a candidate
 * with 40,000 probes takes 4 MB. */
#define REMOTE_UNPACKED_MAX (64u << 20)

struct remote {
	int on;                /* 0: not configured, or off (the fault of remote_open says why) */
	/* the caller's number for the kind of action, for the breaker; 0 unless set */
	unsigned class;
	/* set while waiting for another node's result: remembered absences do not count */
	int ask_again;
	struct remote_config config;
	struct cluster cluster;
	struct trust trust;
	struct breaker breaker;
	struct negative_cache absent;
	struct store *store;
	struct arena *arena;
	int64_t waited_ns;     /* total time of this process's look-ups */
	uint64_t bytes_in, bytes_out; /* already in the counters */
	/* memory that candidates and results in parts took so far, and keep, including those that
	 * serve no action */
	uint64_t taken;
	uint64_t unpacked;     /* part of it that the candidates of the current look-up take */
	/* CLOCK_MONOTONIC deadline for everything; 0: only the operations' own */
	int64_t until;
	int no_eval;           /* the server refuses scripts */
	/* rest of the lease that was last asked for, whoever holds it; below 0: endless, none, or
	 * no answer */
	int64_t lease_left_ms;
	/* candidates of the manifest that was last looked up or leased; 0: none, or no answer */
	int64_t listed;
	char refused[128];     /* why the last blob was refused, for explain */
};

/* Only reads settings if no remote is configured: 0 with on = 0. -1 with *fault: settings or keys
 * are wrong, and the remote is off. Makes no connection. r must not move, and keeps all arguments
 * by reference. */
int remote_open(struct remote *r, const struct settings *set, char *const envp[], const char *job,
                struct store *s, struct arena *a, struct fault *fault);
/* For long-running processes, before each question or record: reads the keys of SIGN_KEY and TRUST
 * again if their files changed. 0, or -1 with *fault: they cannot be read any more, and the remote
 * is closed. */
int remote_reload_keys(struct remote *r, struct fault *fault);
/* HIT: *count checked entries. ABSENT: Redis has none (or said so lately), or none that may be
 * used; then refused is set. SKIPPED: not asked, or no answer: reason for people in *fault. */
enum remote_status { REMOTE_HIT, REMOTE_ABSENT, REMOTE_SKIPPED };
/* class: MANIFEST or SET. Returns candidates from..from+max, newest first, without refused ones
 * (*count may be 0). more: there are further candidates, from from+max on. max is at most
 * REMOTE_CANDIDATES. */
enum remote_status remote_candidates(struct remote *r, enum store_class class,
                                     const struct digest *k1, unsigned from, struct entry out[],
                                     unsigned max, unsigned *count, int *more, struct fault *fault);
/* class: RESULT or UNIT, with its parts; if one part is missing it is absent. Tells the breaker
 * what a hit saves. */
enum remote_status remote_result(struct remote *r, enum store_class class, const struct digest *k2,
                                 struct entry *out, struct fault *fault);
/* True if entries of that class are exchanged. */
int remote_allows(const struct remote *r, enum store_class class);
/* Tells the breaker how long such an action took without a cache, which bounds the cost of its
 * look-ups. */
void remote_note_duration(struct remote *r, int64_t wall_ns);
/* False: this node may not publish (read-only, trust without a key of its own, refused by the
 * server lately), so no record need be spooled and no publisher started. */
int remote_may_publish(const struct remote *r);
/* For the publisher; the deadline is the transfer's, or `until` if that is sooner. 0 acknowledged,
 * 1 refused for good (too large, class not published, ...; *fault says why), -1 with *fault: try
 * again later. code EACCES: the server does not allow it. */
int remote_put_candidate(struct remote *r, enum store_class class, const struct digest *k1,
                         const void *payload, size_t n, struct fault *fault);
int remote_put_result(struct remote *r, enum store_class class, const struct digest *k2,
                      const void *payload, size_t n, struct fault *fault);
/* For the publisher, before it sends (remote/query.c). remote_has: 1 the server has it with all
 * parts; 0: not, or unknown; -1 with *fault: no answer. remote_get_single: the same for a blob in
 * one value, which is checked and returned; also 0 if it is larger or refused. */
int remote_has(struct remote *r, enum store_class class, const struct digest *k2,
               struct fault *fault);
int remote_get_single(struct remote *r, enum store_class class, const struct digest *k2,
                      struct entry *out, struct fault *fault);
/* Asks whether the server answers (remote/query.c). Also WIRE_OK if the user may not send PING. */
enum wire_status remote_ping(struct remote *r, int64_t deadline, struct fault *fault);
/* The same as a look-up would experience it: through the breaker. 0, or -1 with *fault. */
int remote_answers(struct remote *r, struct fault *fault);
/* Leases (remote/lease.c). 1: ours; 0: another node's; -1: no answer, or no leases here. ms: how
 * long it lasts. take makes the token. listed and lease_left_ms are read after the lease was asked
 * for: more candidates than the look-up saw mean that a holder has published and released it in
 * between. */
int remote_lease_take(struct remote *r, const struct digest *k1, unsigned char token[SPOOL_TOKEN],
                      unsigned ms);
int remote_lease_renew(struct remote *r, const struct digest *k1,
                       const unsigned char token[SPOOL_TOKEN], unsigned ms);
/* Deletes the lease if it still has our token. */
void remote_lease_release(struct remote *r, const struct digest *k1,
                          const unsigned char token[SPOOL_TOKEN]);
/* Closes connections and wipes secrets; in a forked child the parent's connections stay. */
void remote_close(struct remote *r);

/* Key text: "P:1:<kind>:{hex}"; also for doctor. The declarations below are for this folder. */
#define REMOTE_KEY_MAX 512
size_t remote_key(char out[REMOTE_KEY_MAX], const struct remote *r, char kind,
                  const struct digest *key);
/* Runs commands of one key on its node. Replies in *out. An error reply ends as WIRE_SERVER
 * (WIRE_DENIED for NOPERM), with *fault, unless errors_too. Bytes are counted. */
enum wire_status remote_run(struct remote *r, const struct digest *key,
                            const struct cluster_command *v, unsigned count, int64_t deadline,
                            int errors_too, struct wire **out, struct fault *fault);
/* Begins a look-up: 0, or -1 with *fault if the breaker forbids it. *deadline counts from now. */
int remote_begin(struct remote *r, int64_t *start, int64_t *deadline, struct fault *fault);
void remote_end(struct remote *r, int64_t start, enum wire_status s);

#endif
