/* remote/backend.h - a remote store that moves bytes: Redis, a directory, an HTTP server, S3.
 *
 * What is above this seam is the same for all: checks and signatures of blobs
 * (store/entry/blob.h), sizes, breaker, remembered absences, the order of publishing, events. A
 * backend knows names and bytes alone.
 *
 * A name is a kind and a digest (struct backend_name). Below it lies one of these:
 *   an object   one blob: its head and its stored bytes, in any number of pieces
 *   a list      blobs, newest first, at most BACKEND_LIST of them. A backend without lists keeps
 *               one object, which a writer replaces: a candidate that is lost so is one more miss
 *   a lease     a token that ends by itself
 *
 * Every call ends by `deadline` (CLOCK_MONOTONIC, ns), or, where the kernel holds it (a directory
 * on a server that went away), its process is ended by the agent. A fault is a miss: *fault says
 * why in words for people, without secrets. What get and candidates return lies in the arena. One
 * thread uses a backend. After a fork the child may only close it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "remote/source.h"
#include "shim/arena.h"
#include "shim/digest.h"
#include "shim/fault.h"
#include "store/queue/spool.h"

/* FOREIGN: another program's value has this name, or the store never takes this object: a put is
 * not repeated. SERVER: the server answers, and cannot serve now (loading, full, 503). DENIED:
 * wrong credentials (the fault's code is EACCES), or the store refuses this call alone (EPERM).
 * FAULT: of this process. */
enum backend_status {
	BACKEND_OK,
	BACKEND_ABSENT,
	BACKEND_FOREIGN,
	BACKEND_TIMEOUT,
	BACKEND_REFUSED,
	BACKEND_DENIED,
	BACKEND_CLOSED,
	BACKEND_GARBAGE,
	BACKEND_SERVER,
	BACKEND_FAULT
};

/* m manifest, r result, s set, u unit, j what a node did in a job, n list of a job's entries, l
 * lease. */
struct backend_name {
	char kind;
	struct digest key;
};

#define BACKEND_LIST 32
struct backend_bytes {
	const unsigned char *data;
	size_t len;
};
struct backend_list {
	struct backend_bytes v[BACKEND_LIST];
	unsigned count;
	int64_t length; /* of the whole list */
};

/* How a reader limits a get. first: the n first bytes of the object, at least BLOB_HEAD of them
 * unless it is shorter. Returns the object's length that is accepted (at least n), or 0: no more is
 * read, and the get returns BACKEND_OK with the bytes that are there. Pure. */
struct backend_limit {
	uint64_t (*accept)(void *ctx, const void *first, size_t n);
	void *ctx;
	uint64_t most; /* an object that is known to be larger is not read: BACKEND_GARBAGE */
	/* Deadline of what follows the first bytes, which accept may set through ctx: a large
	 * object gets more time than an answer. 0: the call's. */
	int64_t rest_by;
	/* Not NULL after accept has returned a length: the object's bytes go here as they come, in
	 * their order, BLOB_HEAD or more at first, and *out is of no use. Returns 0, or -1: no more
	 * is read, and the get returns BACKEND_FAULT. */
	int (*take)(void *ctx, const void *p, size_t n);
};
/* The bytes that came are given to take, if there is one. BACKEND_OK, or BACKEND_FAULT. */
static inline enum backend_status backend_take(const struct backend_limit *limit, const void *p,
                                               size_t n)
{
	return limit->take && limit->take(limit->ctx, p, n) < 0 ? BACKEND_FAULT : BACKEND_OK;
}

/* One of several reads that a store answers together. */
#define BACKEND_READS 32
struct backend_read {
	struct backend_name name;
	unsigned max; /* of a list: its first elements; 0: an object */
	/* OK, ABSENT, or FAULT: it is not known what the store has. */
	enum backend_status status;
	struct backend_list list;   /* length: as in `count`, or, of a full one, BACKEND_LIST */
	struct backend_bytes bytes; /* the first ones, as those that accept is asked about */
};

/* Where a remote store is, from one element of REPRISE_REMOTE_URL or from REPRISE_REDIS_*. */
struct remote_place;
struct remote_check;

struct backend {
	const struct backend_ops *ops;
	struct arena *arena; /* of what calls return; set by the caller before each call */
	int64_t stall_ns; /* set by the caller: time without a byte that is a timeout; 0: none */
	uint64_t bytes_in, bytes_out; /* since open */
	unsigned round_trips;
	void *state;
};

struct backend_ops {
	const char *schemes; /* "redis rediss redis+unix" */
	/* Reads no more than settings and files of credentials; makes no connection. 0, or -1 with
	 * *fault: this store is off. */
	int (*open)(struct backend *b, const struct remote_place *place, struct arena *a,
	            struct fault *fault);
	/* Elements from..from+max of a list, whose length is told also where it has no such ones.
	 * ABSENT: none. */
	enum backend_status (*candidates)(struct backend *b, const struct backend_name *name,
	                                  unsigned from, unsigned max, struct backend_list *out,
	                                  int64_t deadline, struct fault *fault);
	enum backend_status (*get)(struct backend *b, const struct backend_name *name,
	                           const struct backend_limit *limit, struct backend_bytes *out,
	                           int64_t deadline, struct fault *fault);
	/* Reads n names, at most BACKEND_READS, in as few round trips as the store allows. NULL:
	 * they are read one by one. */
	enum backend_status (*read)(struct backend *b, struct backend_read v[], unsigned n,
	                            int64_t deadline, struct fault *fault);
	/* A reader sees the whole object or none. head: the blob's head; stored: its bytes. ttl_s:
	 * after which the store may drop it, 0: never. */
	enum backend_status (*put)(struct backend *b, const struct backend_name *name,
	                           struct backend_bytes head, const struct source *stored,
	                           unsigned ttl_s, int64_t deadline, struct fault *fault);
	/* As the first of the list. drop: index of an element that leads to the same result, or -1.
	 * The store keeps one of the two. */
	enum backend_status (*add_candidate)(struct backend *b, const struct backend_name *name,
	                                     struct backend_bytes blob, int drop, unsigned ttl_s,
	                                     int64_t deadline, struct fault *fault);
	/* 1: there, whole; 0: not; -1: unknown, with *fault. */
	int (*has)(struct backend *b, const struct backend_name *name, int64_t deadline,
	           struct fault *fault);
	enum backend_status (*remove)(struct backend *b, const struct backend_name *name,
	                              int64_t deadline, struct fault *fault);
	/* Asks whether the store answers. */
	enum backend_status (*ping)(struct backend *b, int64_t deadline, struct fault *fault);
	/* Leases; NULL: no single flight between nodes. take: OK: the server answered. *got: 1
	 * ours, 0 another's, -1: the server takes none now. *listed: length of the list `manifest`
	 * after the lease was asked for; *left_ms: the rest of the lease, -1 unknown. renew,
	 * release: 1, 0 (no longer ours), -1: no answer. */
	enum backend_status (*lease_take)(struct backend *b, const struct backend_name *lease,
	                                  const struct backend_name *manifest,
	                                  const unsigned char token[SPOOL_TOKEN], unsigned ms,
	                                  int *got, int64_t *listed, int64_t *left_ms,
	                                  int64_t deadline, struct fault *fault);
	int (*lease_renew)(struct backend *b, const struct backend_name *lease,
	                   const unsigned char token[SPOOL_TOKEN], unsigned ms, int64_t deadline);
	int (*lease_release)(struct backend *b, const struct backend_name *lease,
	                     const unsigned char token[SPOOL_TOKEN], int64_t deadline);
	/* For `reprise doctor`: asks what a look-up and a publisher can meet. 0, or -1 with
	 * c->fault and c->remedy: no answer. NULL: remote/check.c asks by the other calls. TOOL. */
	int (*check)(struct backend *b, struct remote_check *c);
	/* Closes connections and wipes secrets; in a forked child the parent's stay. */
	void (*close)(struct backend *b);
};

/* Calls open: shim/banned.h refuses that name in the files that include it. */
static inline int backend_begin(struct backend *b, const struct remote_place *place,
                                struct arena *a, struct fault *why)
{
	return b->ops->open(b, place, a, why);
}
