/* remote/remote.h - the remote store: what a Redis may answer and what it is told.
 *
 * Keys (prefix P, hex of 32 bytes, the braces are Redis hash tags):
 *   P:1:m:{K1}          list of blobs, newest first, REMOTE_CANDIDATES at most: LPUSH, LTRIM, EXPIRE
 *   P:1:r:{K2}          blob of a result, or its head and first part
 *   P:1:r:{K2}:<name>:n parts 1 .. of it; written before the head
 *   P:1:s:{unit}        as m, of a set of the frameworks' caches: its members
 *   P:1:u:{unit}        as r, of a parcel
 *   P:1:l:{K1}          lease: token, with PX; also of a unit that is joined with what is there
 * The 1 is the version of this layout. A plain look-up that hits is two round trips: LRANGE of the manifest's
 * first REMOTE_FIRST candidates (with LLEN), GET of the result; the connection's AUTH and SELECT travel with the first.
 * What writes waits for their acknowledgement (remote/wire.h).
 *
 * Look-ups and lease_take ask the breaker first, end by their deadline, and tell the breaker what they cost; puts, renewals
 * and releases are the publisher's, who waits for nobody and holds nobody up. What comes is checked
 * (remote/blob.h) before it is believed; what fails the check is counted as refused and never given out. An absence is
 * remembered for some seconds (remote/negative_cache.h), so that a cold start does not ask twice, and forgotten when this node
 * publishes the key.
 *
 * Allocates (hiredis does). Only where no other thread runs; after a fork the child only closes. */
#ifndef REMOTE_REMOTE_H
#define REMOTE_REMOTE_H

#include "remote/negative_cache.h"
#include "remote/blob.h"
#include "remote/breaker.h"
#include "remote/cluster.h"
#include "remote/spool.h"

#define REMOTE_CANDIDATES 32
#define REMOTE_FIRST 4
/* A candidate is one value; with 40,000 probes it packs into a quarter of that. */
#define REMOTE_CANDIDATE_MAX (4u << 20)
/* What the candidates of a look-up may unpack to together, with those that turn out to be none; one with 40,000
 * probes to 4 MB. */
#define REMOTE_UNPACKED_MAX (64u << 20)

struct remote {
	int on;                /* 0: none configured, or off (fault of remote_open says why) */
	unsigned class;        /* the caller's number for the kind of action, for the breaker; 0 unless set */
	int ask_again;         /* set by who waits for another's result: remembered absences do not count */
	struct remote_config config;
	struct cluster cluster;
	struct trust trust;
	struct breaker breaker;
	struct negative_cache absent;
	struct store *store;
	struct arena *arena;
	int64_t waited_ns;     /* by this process's look-ups */
	uint64_t bytes_in, bytes_out; /* counted so far */
	uint64_t taken;        /* memory that candidates and results in parts took so far, and keep, also those that serve
	                        * nobody */
	uint64_t unpacked;     /* of it by candidates of the look-up under way */
	int64_t until;         /* CLOCK_MONOTONIC: whatever is asked ends by then; 0: each thing by its own deadline */
	int no_eval;           /* the server refuses scripts */
	int64_t lease_left_ms; /* of the lease that was last asked for, whoever has it; below 0: for ever, none, or no answer */
	int64_t listed;        /* candidates of the manifest that was last looked up or leased; 0: none, or no answer */
	char refused[128];     /* why the last blob was refused, for explain */
};

/* Costs nothing but a look at the settings when no remote is configured: 0 with on = 0. -1 with *fault: settings or
 * keys are wrong, the remote is off. No connection is made here. r must not move, and all that is given is kept by
 * reference. */
int remote_open(struct remote *r, const struct settings *set, char *const envp[], const char *job,
                struct store *s, struct arena *a, struct fault *fault);
/* By who stays, before each question or record: reads the keys of SIGN_KEY and TRUST anew where a file of them changed. 0, or -1
 * with *fault: they cannot be read any more, and the remote is closed. */
int remote_reload_keys(struct remote *r, struct fault *fault);
/* HIT: *count checked entries. ABSENT: Redis said there is none (or said so lately), or none that can be
 * believed: then refused is set. SKIPPED: not asked, or no answer: reason for people in *fault. */
enum remote_status { REMOTE_HIT, REMOTE_ABSENT, REMOTE_SKIPPED };
/* class: MANIFEST or SET. Candidates from..from+max, newest first, those that were refused left out (*count may be 0). more: there
 * are further ones, from from+max. max is REMOTE_CANDIDATES at most. */
enum remote_status remote_candidates(struct remote *r, enum store_class class, const struct digest *k1,
                                     unsigned from, struct entry out[], unsigned max, unsigned *count, int *more,
                                     struct fault *fault);
/* class: RESULT or UNIT, with its parts; one part that is gone makes it absent. What one saves is told to the breaker. */
enum remote_status remote_result(struct remote *r, enum store_class class, const struct digest *k2,
                                 struct entry *out, struct fault *fault);
/* Whether entries of that class may come and go. */
int remote_allows(const struct remote *r, enum store_class class);
/* By who ran such an action for real: what it took, so that the breaker knows what a look-up may cost. */
void remote_note_duration(struct remote *r, int64_t wall_ns);
/* False: nothing may be published (read-only, trust without a key of our own, refused by the server lately), so that
 * no record need be spooled and no publisher started. */
int remote_may_publish(const struct remote *r);
/* The publisher's side; the deadline is the transfer's, or `until` where that is sooner. 0 acknowledged, 1 refused for good (too large, class not
 * published, ...; *fault says why), -1 with *fault: try again later. code EACCES: the server does not let us. */
int remote_put_candidate(struct remote *r, enum store_class class, const struct digest *k1,
                         const void *payload, size_t n, struct fault *fault);
int remote_put_result(struct remote *r, enum store_class class, const struct digest *k2, const void *payload,
                      size_t n, struct fault *fault);
/* What the publisher finds there (remote/query.c). has: 1 there, with its parts; 0: not, or who knows; -1 with *fault: no answer.
 * peek: the same of one that is a single value, checked, and given out; 0 also where it is larger or not to be believed. */
int remote_has(struct remote *r, enum store_class class, const struct digest *k2, struct fault *fault);
int remote_get_single(struct remote *r, enum store_class class, const struct digest *k2, struct entry *out,
                struct fault *fault);
/* Whether the server answers (remote/query.c). WIRE_OK also where the user may not send PING. */
enum wire_status remote_ping(struct remote *r, int64_t deadline, struct fault *fault);
/* The same as a look-up would find it, by the breaker, which learns of it. 0, or -1 with *fault. */
int remote_answers(struct remote *r, struct fault *fault);
/* Leases (remote/lease.c). 1: ours; 0: another's; -1: no answer, or no leases here. ms: how long it lasts. take
 * makes the token. listed and lease_left_ms are then of the moment after it was taken: more candidates than the look-up
 * saw were published in between, by one who is done. */
int remote_lease_take(struct remote *r, const struct digest *k1, unsigned char token[SPOOL_TOKEN],
                      unsigned ms);
int remote_lease_renew(struct remote *r, const struct digest *k1, const unsigned char token[SPOOL_TOKEN],
                       unsigned ms);
/* Compare and delete. */
void remote_lease_release(struct remote *r, const struct digest *k1,
                          const unsigned char token[SPOOL_TOKEN]);
/* Connections go, secrets are wiped; from a forked child the parent's stay as they are. */
void remote_close(struct remote *r);

/* Key text: "P:1:<kind>:{hex}"; also for doctor. What follows it is for this folder. */
#define REMOTE_KEY_MAX 512
size_t remote_key(char out[REMOTE_KEY_MAX], const struct remote *r, char kind, const struct digest *key);
/* Commands of one key to its node. Replies in *out; a reply that is an error ends as WIRE_SERVER (WIRE_DENIED for
 * NOPERM), with *fault, unless errors_too. Bytes are counted. */
enum wire_status remote_run(struct remote *r, const struct digest *key, const struct cluster_command *v,
                            unsigned count, int64_t deadline, int errors_too, struct wire **out,
                            struct fault *fault);
/* A look-up begins: 0, or -1 with *fault when it must not. *deadline from now. */
int remote_begin(struct remote *r, int64_t *start, int64_t *deadline, struct fault *fault);
void remote_end(struct remote *r, int64_t start, enum wire_status s);

#endif
