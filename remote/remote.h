/* remote/remote.h - the remote stores, as all other folders use them: look-ups, puts, leases, and
 * what the settings say about them.
 *
 * A look-up asks the stores in their order (remote/remote_place.h) until one has the entry. What a
 * slower one had is kept for the faster ones (remote_backfill). A put goes to each store that is
 * not read-only, and is acknowledged if one took it: a store that is away misses entries, and no
 * job waits for it. Together they are called the remote store.
 *
 * The other headers of remote/ are private to it (scripts/check-layers.sh). So a caller depends on
 * no server, no protocol and no connection, and remote/ can move into a process of its own.
 *
 * Look-ups and remote_lease_take ask the breaker first (remote/breaker.h), end by their deadline,
 * and report their cost to the breaker. Puts, renewals and releases are for the publisher, for
 * which no process waits. Every blob is checked (store/entry/blob.h) before it is used. A blob that
 * fails the check is counted as refused and never returned. An absence is remembered for some
 * seconds (remote/remote_memory.h), so that a cold start does not ask twice.
 *
 * Allocates (hiredis does), but makes no thread, no signal handler and no SIGPIPE. Functions
 * without a mark run only where no other thread runs: in a tool's constructor, a supervisor, the
 * publisher and the fetcher, never in a host's hook. After a fork the child may only close. */
#pragma once

#include <stdint.h>

#include "remote/remote_place.h"
#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings/settings.h"
#include "store/entry/entry.h"
#include "store/queue/spool.h"
#include "store/store.h"

/* --- What the settings say; no connection is made. --- */

/* What the settings let this process exchange: bits 1 << enum store_class; of UNIT and SET, bits
 * 1 << enum unit_class. */
struct remote_use {
	unsigned classes, units;
	int readonly; /* this node publishes nothing */
};
/* 1 with *out; 0: no remote store is configured, or its settings are wrong, so it is off.
 * THREAD. */
int remote_use_load(struct remote_use *out, const struct settings *set, char *const envp[],
                    struct arena *a);
/* Where the remote stores are, for people: "redis://host:6379/0 s3://bucket", never user or
 * password; or "none". NULL with *fault: the settings are wrong. THREAD. */
const char *remote_use_address(const struct settings *set, char *const envp[], struct arena *a,
                               struct fault *fault);
/* Parses a REMOTE_CLASSES text. Keys of units do not name their class. So the bits of units decide:
 * where a class's bit is missing, hosts ask for no such unit, and the publisher sends none. 0, or
 * -1: an unknown word. CHILD. */
int remote_classes_parse(const char *text, unsigned *classes, unsigned *units);
/* Sets s->remote, the tag of the remote store (remote/tag.c). To be called before anything is
 * queued or asked, and only then: a hit does not need it. At most one system call, for memory.
 * THREAD. */
void remote_tag(struct store *s, const struct settings *set, char *const envp[], struct arena *a);
/* The tag without a usable remote store. */
#define REMOTE_TAG_LOCAL_OF(version) "local." #version
#define REMOTE_TAG_LOCAL_NUMBER(version) REMOTE_TAG_LOCAL_OF(version)
#define REMOTE_TAG_LOCAL REMOTE_TAG_LOCAL_NUMBER(ENTRY_VERSION)
_Static_assert(sizeof REMOTE_TAG_LOCAL <= STORE_REMOTE, "its room");
/* For people who check their settings before they configure a remote store. Also returns -1 with
 * *fault if no remote store is configured, but the settings would turn one off. THREAD. */
int remote_config_check(const struct settings *set, char *const envp[], struct arena *a,
                        struct fault *fault);
/* A value of REDIS_URL or REMOTE_URL for people: "redis://..@host:6379/0". No part of a malformed
 * element is shown, but for the name of its scheme or option. THREAD. */
const char *remote_url_print(const char *url, struct arena *a);

/* --- One process's use of the remote store. --- */

#define REMOTE_CANDIDATES 32
/* Candidates that a plain look-up asks for: it then takes two round trips. */
#define REMOTE_FIRST 4
/* Limit of what the candidates of a look-up may decompress to, refused ones included; a candidate
 * with 40,000 probes takes 4 MB. */
#define REMOTE_UNPACKED_MAX (64u << 20)
/* Kinds of look-ups, each of which has a budget of its own in a job (remote/breaker.h): those of
 * actions come first; UNITS is for units, and the next one for sets. */
#define REMOTE_BUDGET_UNITS 14
/* For which nobody waits: they spend none. */
#define REMOTE_BUDGET_NONE (~0u)

/* What all processes know that are forked after remote_memory_make: breakers and absences
 * (remote/remote_memory.h). NULL without memory. THREAD. */
struct remote_memory *remote_memory_make(void);
/* Of each remote store that this process opens from now on. NULL, the default: each has its own. */
void remote_memory_use(struct remote_memory *m);
/* The breaker of the store with that number among the settings' places. last: a word for the last
 * failure, "" for none. */
struct breaker_state {
	int is_open, publishing_off;
	int64_t retry_in_ns, waited_ns, saved_ns;
	const char *last;
};
void remote_memory_read(struct remote_memory *m, unsigned place, struct breaker_state *out);
/* No store takes a put of this user: publishing is off for a while. */
void remote_memory_publishing_off(struct remote_memory *m);

struct remote_server; /* remote/server.h */
struct remote_shared;
struct remote {
	int on; /* 0: not configured, or off (the fault of remote_open says why) */
	unsigned units;        /* as in remote_use */
	uint64_t max_entry;    /* larger entries stay local */
	/* Set by the caller. */
	unsigned budget;       /* that look-ups spend; 0 unless set */
	/* set while waiting for another node's result: remembered absences do not count */
	int ask_again;
	/* CLOCK_MONOTONIC deadline for everything; 0: only the operations' own */
	int64_t until;
	/* told that a result in parts will take so long at most; NULL: nobody is */
	void (*coming)(void *ctx, int64_t ns);
	void *coming_ctx;
	struct arena *arena;   /* for what calls return */
	/* NULL, or where results and units of at least into_least bytes go as they come: memory
	 * then holds a part of them at a time. into_first: the first bytes of the payload that went
	 * there last. */
	struct store *into;
	uint64_t into_least;
	unsigned char into_first[4];
	/* Half of it may be answers in the arena, half is for what moves them; 0: no limit. What is
	 * larger, and may not go to `into`, is refused as too large. */
	uint64_t memory;
	/* Job and rank of the events that look-ups and puts leave (remote/server.h); job NULL:
	 * they leave none. remote_open sets job and rank of the process. A process that works for
	 * other processes sets theirs. */
	const char *job;
	int rank;
	/* Answers. */
	/* rest of the lease that was last asked for, whoever holds it; below 0: endless, none, or
	 * no answer */
	int64_t lease_left_ms;
	/* candidates of the manifest that was last looked up or leased; 0: none, or no answer */
	int64_t listed;
	char refused[128];     /* why the last blob was refused, for explain */
	int denied;            /* a store refused this user, perhaps for an old password */
	/* in the arena of remote_open; NULL if never on */
	struct remote_server *server; /* as many as there are stores */
	struct remote_shared *shared;
	unsigned servers;
};

/* Only reads settings if no remote store is configured: 0 with on = 0. -1 with *fault: settings or
 * keys are wrong, or no store can be used, and the remote store is off. A store among others that
 * this program cannot use is left out, with a warning. Makes no connection. Keeps all arguments by
 * reference. */
int remote_open(struct remote *r, const struct settings *set, char *const envp[], const char *job,
                struct store *s, struct arena *a, struct fault *fault);
/* Closes connections and wipes secrets; in a forked child the parent's connections stay. */
void remote_close(struct remote *r);
/* For long-running processes, before each question or record: reads the keys of SIGN_KEY and TRUST
 * again if their files changed. 0, or -1 with *fault: they cannot be read any more, and the remote
 * store is closed. */
int remote_reload_keys(struct remote *r, struct fault *fault);
/* Number of a job, for remote_charge in another process. Pure. THREAD. */
uint64_t remote_job_number(const char *job);
/* Lets the next look-ups spend that budget of that job. */
void remote_charge(struct remote *r, uint64_t job, unsigned budget);
/* True if this process saw a failure of a store: it asks that one no more. */
int remote_failed(const struct remote *r);
/* As remote_use_address, of one store; i is below r->servers. */
const char *remote_server_address(const struct remote *r, unsigned i);
/* Its number among the settings' places. */
unsigned remote_server_place(const struct remote *r, unsigned i);
/* Sets the time without a byte after which a call times out; 0: none. */
void remote_limit_stall(struct remote *r, int64_t ns);
/* As remote_use_address, of an open remote store. */
const char *remote_address(const struct remote *r);
/* Bytes that its stores have sent to this process, without those that came ahead and that no
 * look-up has taken. */
uint64_t remote_received(const struct remote *r);
/* Asks once whether a store answers, as a look-up would experience it: through the breaker. 0, or
 * -1 with *fault. */
int remote_answers(struct remote *r, struct fault *fault);

/* --- Look-ups (remote/get.c). --- */

/* HIT: *count checked entries. ABSENT: the server has none (or said so lately), or none that may be
 * used; then refused is set. SKIPPED: not asked, or no answer: reason for people in *fault. */
enum remote_status { REMOTE_HIT, REMOTE_ABSENT, REMOTE_SKIPPED };
/* class: MANIFEST or SET. Returns candidates from..from+max, newest first, without refused ones
 * (*count may be 0). more: there may be further candidates, from from+max on: the lists of the
 * stores count as one list, in which each begins at a multiple of max. max is at most
 * REMOTE_CANDIDATES, and the same in all calls for a key. */
enum remote_status remote_candidates(struct remote *r, enum store_class class,
                                     const struct digest *k1, unsigned from, struct entry out[],
                                     unsigned max, unsigned *count, int *more, struct fault *fault);
/* class: RESULT or UNIT, with its parts; if one part is missing it is absent. Tells the breaker
 * what a hit saves. out->payload NULL: the entry is in r->into, and only out->len is known. A
 * faster store that lacks the entry needs its bytes: a small entry is then in memory whatever
 * r->into says, and a large one lies in a file of r->into as it came. */
enum remote_status remote_result(struct remote *r, enum store_class class, const struct digest *k2,
                                 struct entry *out, struct fault *fault);
/* Asks for n entries, at most REMOTE_READS, in as few round trips as the stores can. The deadline
 * is a transfer's. Look-ups of these entries are then answered from what came, or ask as always.
 * What came lies in the arena: remote_read_end() comes before that is freed. max: of
 * remote_candidates, from 0 on; 0: a result or unit. */
#define REMOTE_READS 32
struct remote_read {
	enum store_class class;
	unsigned max;
	struct digest key;
};
void remote_read_ahead(struct remote *r, const struct remote_read want[], unsigned n,
                       struct arena *a);
void remote_read_end(struct remote *r);
/* How many of them r->memory has room for at once: 2 to REMOTE_READS. */
unsigned remote_reads_most(const struct remote *r);
/* 1: the first store can. */
int remote_reads_ahead(const struct remote *r);
/* After the answer, and before the memory of the answer is freed: puts what slower stores had into
 * the faster ones that answered and did not have it. For a process that nobody waits for. */
void remote_backfill(struct remote *r);
/* True if entries of that class are exchanged. REPRISE_REMOTE_CLASSES does not name JOB_NODE and
 * JOB_USED: other settings decide whether they are sent. */
int remote_allows(const struct remote *r, enum store_class class);
/* Tells the breaker how long such an action took without a cache, which bounds the cost of its
 * look-ups. */
void remote_note_duration(struct remote *r, int64_t wall_ns);

/* --- Leases: one node compiles, the others wait (remote/lease.c). They are those of the first
 * store that has leases and is not read-only. --- */

/* 1: ours; 0: another node's; -1: no answer, or no leases here. ms: how long it lasts. Makes the
 * token. listed and lease_left_ms are read after the lease was asked for. More candidates than the
 * look-up saw mean that a holder has published and released the lease in between. */
int remote_lease_take(struct remote *r, const struct digest *k1, unsigned char token[SPOOL_TOKEN],
                      unsigned ms);
/* 1, 0 and -1 as above. */
int remote_lease_renew(struct remote *r, const struct digest *k1,
                       const unsigned char token[SPOOL_TOKEN], unsigned ms);
/* Deletes the lease if it still has our token. */
void remote_lease_release(struct remote *r, const struct digest *k1,
                          const unsigned char token[SPOOL_TOKEN]);
/* Notes that this node waited in vain for another node's compile: the lease's holder does not
 * publish. For some minutes no process of the node waits for leases. */
void remote_lease_wait_failed(struct remote *r);
int remote_lease_wait_is_off(const struct remote *r);

/* --- Publishing. --- */

/* False: this node may not publish, so no record need be spooled and no publisher started. It is
 * read-only, has trust without a key of its own, or the server refused it lately. */
int remote_may_publish(const struct remote *r);
/* For the publisher (remote/put.c); the deadline is the transfer's, or `until` if that is sooner. 0
 * acknowledged by a store, 1 refused for good (too large, class not published, ...; *fault says
 * why), -1 with *fault: try again later. code EACCES: the server does not allow it. */
int remote_put_candidate(struct remote *r, enum store_class class, const struct digest *k1,
                         const void *payload, size_t n, struct fault *fault);
int remote_put_result(struct remote *r, enum store_class class, const struct digest *k2,
                      const void *payload, size_t n, struct fault *fault);
/* The same of an entry that lies in a file, with n bytes of payload: memory holds a piece at a
 * time. For those of more than REMOTE_PUT_LARGE bytes. */
#define REMOTE_PUT_LARGE (4u << 20)
int remote_put_file(struct remote *r, enum store_class class, const struct digest *k2, int fd,
                    uint64_t n, struct fault *fault);
/* For `reprise forget`: removes a manifest, or the head of a result. Without its head the parts of
 * a result are never read, and they expire. As a put. */
int remote_remove(struct remote *r, enum store_class class, const struct digest *key,
                  struct fault *fault);
/* For the publisher, before it sends (remote/query.c). remote_has: 1: each store that takes puts
 * and answers has the blob with all parts; 0: one has not, or this is unknown; -1 with *fault: no
 * answer. remote_get_single: 1 if a store has a blob in one value, which is checked and returned.
 * It is also 0 if the blob is larger or refused. */
int remote_has(struct remote *r, enum store_class class, const struct digest *k2,
               struct fault *fault);
int remote_get_single(struct remote *r, enum store_class class, const struct digest *k2,
                      struct entry *out, struct fault *fault);
/* For `reprise report`: the candidates of the first list that is not empty, at most
 * REMOTE_CANDIDATES; those that are refused
 * are left out and counted. Their number, or -1 with *fault: no answer. */
int remote_get_list(struct remote *r, enum store_class class, const struct digest *k1,
                    struct entry out[REMOTE_CANDIDATES], unsigned *refused, struct fault *fault);
/* Asks, without the breaker, whether a store answers: 0, also if this user may not send PING. -1
 * with *fault. */
int remote_ping(struct remote *r, struct fault *fault);

/* --- For `reprise doctor` (remote/check.c). TOOL. --- */

#define REMOTE_WORD 120
/* People wait for the answer; a server that needs longer is useless for look-ups anyway. */
#define REMOTE_PATIENCE_NS 3000000000ll
/* look_up, publish and query hold the first word of the server's refusal, or "" if it allows all
 * commands: those of a look-up, those that publish, and STRLEN. */
struct remote_check {
	struct fault fault;
	const char *remedy;             /* NULL: none is known */
	int64_t connect_ns, answer_ns;  /* of the first look-up, and of the fastest after it */
	int64_t limit_ns;               /* of a look-up, by the settings */
	int expires, readonly;          /* settings: entries expire; nothing is published */
	char look_up[REMOTE_WORD], publish[REMOTE_WORD], query[REMOTE_WORD];
	/* the store may say these, of INFO; "" if the user may not ask */
	int says_policy;
	char memory_limit[REMOTE_WORD], policy[REMOTE_WORD];
};
/* Each for store i, which is below r->servers. remote_check sends the commands of a look-up and of
 * a publisher, on keys that expire at once. 0, or -1 with fault and remedy: no answer. */
int remote_check(struct remote *r, unsigned i, struct remote_check *c);

/* --- remote_config.c: where the remote stores are (remote/remote_place.h), and what the
 * settings say of all of them. THREAD. */

struct remote_config {
	struct remote_place place[PLACES_MAX];
	unsigned places;           /* 0: no remote store is configured, or it is off */
	const char *prefix;        /* of all names; default "reprise" */
	unsigned ttl_s;            /* 0: entries do not expire */
	unsigned classes;          /* bits 1 << enum store_class that are exchanged */
	unsigned units;            /* for UNIT and SET: bits 1 << enum unit_class */
	/* limit of one transfer, unless its size at min_rate allows more */
	int64_t transfer_ns;
	uint64_t min_rate;         /* bytes a second */
	uint64_t max_entry;        /* larger entries stay local */
	uint64_t memory;           /* bytes that a process of the agent takes for answers */
};

/* 0: *c is filled, places may be 0. -1 with *fault: a setting is malformed, and the remote store is
 * off. Uses only settings and reads no file. */
int remote_config_load(struct remote_config *c, const struct settings *set, char *const envp[],
                       struct arena *a, struct fault *fault);
/* The part of it that depends on no store. NULL, or what is wrong. */
const char *remote_config_limits(struct remote_config *c, const struct settings *set);
