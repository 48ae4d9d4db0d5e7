/* store/job/job_node.h - what one node did in a job, as other nodes read it from the remote store.
 *
 * The payload of an entry of class STORE_JOB_NODE; little-endian, no padding:
 *
 *   offset 0   4      magic    "RPJ" and the version, 1
 *          4   4      events   records behind the head
 *          8   8      made_at  s since 1970
 *         16   8      dropped  events that the node counted and does not hold
 *         24   8      spent    ns
 *         32   8      waited   ns
 *         40   8      worth    ns
 *         48   8      bytes
 *         56  24 x 8  count    by kind and verdict (store/job/event_record.h), exact
 *        248  72      host     filled with NUL
 *        320 192      job      events_name() of the job, filled with NUL
 *        512 events x EVENT_BYTES
 *
 * Whoever may write the remote store may write anything here. So a payload is refused if its
 * lengths or names differ, or if it has figures that no job reaches. THREAD. Parsing is fuzzed. */
#pragma once

#include "store/job/events.h"
#include "store/job/events_read.h"

#define JOB_NODE_HEAD 512
/* The newest events of a node; the sums count all. */
#define JOB_NODE_EVENTS_MAX 8192u

struct job_node {
	int64_t made_at;
	struct job_counts sums; /* id, used and here are 0 */
	const char *host, *job; /* in the arena */
	const unsigned char *records;
	uint32_t events;
};

/* The key of a node's entry, and of one of the lists in which its readers find it. */
void job_node_key(struct digest *out, const char *job, const char *host, const char *runtime_dir);
#define JOB_NODE_LISTS 32u
void job_node_list_key(struct digest *out, const char *job, unsigned list);
/* The list that names an entry. */
unsigned job_node_list(const struct digest *key);

/* Makes the payload of this host's part of the events: with the newest records, or without any.
 * NULL: no memory. */
unsigned char *job_node_encode(size_t *len, const struct events *e, const char *job,
                               const char *host, int with_events, struct arena *a);
/* 0, or -1 with *why: refused. */
int job_node_decode(struct job_node *out, const unsigned char *in, size_t len, const char *job,
                    struct arena *a, const char **why);
/* Adds a node's part to the events that this node has of the job. known: the first `own` events,
 * which are sorted, may already hold events of that node. Then only events that are missing there
 * are added. most: the number of events that e may hold. The caller then calls events_sort(). 0 or
 * -1: no memory. */
int job_node_join(struct events *e, const struct job_node *n, int known, size_t own, size_t most,
                  struct arena *a);
