/* remote/redis/redis.h - Redis as a backend (remote/backend.h): a server or a cluster.
 *
 * Keys (prefix P, hex of 32 bytes, the braces are Redis hash tags):
 *   P:1:m:{K1}          list of blobs, newest first, at most BACKEND_LIST: LPUSH, LTRIM, EXPIRE
 *   P:1:r:{K2}          blob of a result, or its head and first part
 *   P:1:r:{K2}:<name>:n parts 1 .. of it; written before the head
 *   P:1:s:{unit}        as m, for a set of the frameworks' caches: its members
 *   P:1:u:{unit}        as r, for a parcel
 *   P:1:j:{node}        as r, for what a node did in a job (store/job/job_node.h), and as m, for
 *                       the lists that name these
 *   P:1:n:{list}        as r, for what a job used (store/job/job_used.h)
 *   P:1:l:{K1}          lease: token, with PX; also of a unit that is joined with what is there
 * The 1 is the version of this layout. A list takes one round trip, LRANGE with LLEN, and so does a
 * small object; the connection's AUTH and SELECT are sent with the first. Commands that write wait
 * for the replies to AUTH and SELECT (remote/wire/wire.h).
 *
 * Functions without a mark run where those of remote/remote.h do: only where no other thread
 * runs. */
#pragma once

#include "remote/backend.h"
#include "remote/wire/cluster.h"
#include "shim/format.h"
#include "store/entry/blob.h"

extern const struct backend_ops redis_ops;

/* The rest is for remote/redis/ and for tests of the server. */

struct redis {
	struct redis_config config;
	const char *prefix;
	struct cluster cluster;
	int no_eval; /* the server refuses scripts */
	/* Room for a first value, and for REDIS_WINDOW parts, of objects that are taken as they
	 * come. Its pages stay mapped between calls. */
	void *room, *window;
	struct arena *kept; /* of open */
};
/* THREAD. */
static inline struct redis *redis_of(const struct backend *b)
{
	return b->state;
}

/* A value may be this large in a list; a candidate with 40,000 probes packs into a quarter. */
#define REDIS_ELEMENT_MAX (4u << 20)
/* Parts in flight at once: bounds the memory beside the object's own. */
#define REDIS_WINDOW 4
/* Longest reply that is a status or a number. */
#define REDIS_LIMIT 256
#define REDIS_DIGITS 24

/* CHILD. Formats a number as an argument and returns out. */
static inline char *redis_number(char out[REDIS_DIGITS], uint64_t v)
{
	format_text(out, REDIS_DIGITS, "%lu", (unsigned long)v);
	return out;
}

/* Names of values: "P:1:<kind>:{hex}", and of part i of a blob under that key. Return the length.
 * THREAD. */
#define REDIS_KEY_MAX 512
size_t redis_key(char out[REDIS_KEY_MAX], const struct backend *b, const struct backend_name *name);
size_t redis_part_key(char out[REDIS_KEY_MAX], const char *key, const struct blob_head *h,
                      unsigned i);

/* Memory for REDIS_WINDOW parts, which each call uses anew; NULL: there is none. */
void *redis_window(struct backend *b);

/* Runs commands of one key on its node. Replies in *out, until the next call. OK: all replies are
 * there; they may be errors. Bytes are counted. */
enum backend_status redis_run(struct backend *b, const struct digest *key,
                              const struct cluster_command *v, unsigned count, int64_t deadline,
                              struct wire **out, struct fault *fault);
/* The status of the first error among the replies, with *fault. THREAD. */
enum backend_status redis_judge(const struct wire *w, struct fault *fault);

/* The verbs, as in struct backend_ops. */

enum backend_status redis_candidates(struct backend *b, const struct backend_name *name,
                                     unsigned from, unsigned max, struct backend_list *out,
                                     int64_t deadline, struct fault *fault);
enum backend_status redis_get(struct backend *b, const struct backend_name *name,
                              const struct backend_limit *limit, struct backend_bytes *out,
                              int64_t deadline, struct fault *fault);
enum backend_status redis_read(struct backend *b, struct backend_read v[], unsigned n,
                               int64_t deadline, struct fault *fault);
int redis_has(struct backend *b, const struct backend_name *name, int64_t deadline,
              struct fault *fault);
enum backend_status redis_put(struct backend *b, const struct backend_name *name,
                              struct backend_bytes head, const struct source *stored,
                              unsigned ttl_s, int64_t deadline, struct fault *fault);
enum backend_status redis_add(struct backend *b, const struct backend_name *name,
                              struct backend_bytes blob, int drop, unsigned ttl_s, int64_t deadline,
                              struct fault *fault);
enum backend_status redis_remove(struct backend *b, const struct backend_name *name,
                                 int64_t deadline, struct fault *fault);
enum backend_status redis_lease_take(struct backend *b, const struct backend_name *lease,
                                     const struct backend_name *manifest,
                                     const unsigned char token[SPOOL_TOKEN], unsigned ms, int *got,
                                     int64_t *listed, int64_t *left_ms, int64_t deadline,
                                     struct fault *fault);
int redis_lease_renew(struct backend *b, const struct backend_name *lease,
                      const unsigned char token[SPOOL_TOKEN], unsigned ms, int64_t deadline);
int redis_lease_release(struct backend *b, const struct backend_name *lease,
                        const unsigned char token[SPOOL_TOKEN], int64_t deadline);
/* TOOL. */
int redis_check(struct backend *b, struct remote_check *c);
