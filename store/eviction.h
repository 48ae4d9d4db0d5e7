/* store/eviction.h - eviction and clean-up, run by a writer or by `reprise gc`, never on a hit.
 *
 * The size of the store, with what the agent brought and no tool has accepted yet (store/inbox.h),
 * is kept in a counter (store/job/counters.h). When a writer sees that the
 * size exceeds the limit, it cleans as many 2-hex shards as hold some thousand entries. It begins
 * where the last writer stopped. In a store of ordinary size it cleans all shards. The least
 * recently used entries go first (mtime, see store_touch; the slots of a manifest go together),
 * until these shards are at 90 % of their share. A pass corrects the counter. Other hosts write to
 * the store, too. So a measuring pass also runs each time that a host has put 1/512 of the limit,
 * or some thousand entries.
 *
 * When the passes have covered all shards, temporary files and traces older than an hour are
 * removed. So are queues that nobody used for QUEUE_UNUSED_S (store/queue/queue.h), and jobs' lists
 * and events older than JOB_LIST_KEEP_S and EVENTS_KEEP_S (store/job/job_list.h,
 * store/job/events.h). One process cleans at a time (store/lock.h). Sizes are whole 4 KiB blocks,
 * as on a disk.
 *
 * TOOL and supervisor. Memory: an arena of its own, freed before return. */
#pragma once

#include "store/store.h"

struct gc_report {
	uint64_t entries, bytes; /* remaining */
	uint64_t removed, removed_bytes;
	uint64_t litter;         /* temporary files, stale traces, unused queues */
};
/* Cleans all shards. Without force, only left-over files are removed while the counter is below the
 * limit. progress may be NULL. 0 or -1. */
int gc_run(struct store *s, int force, struct gc_report *out,
           void (*progress)(void *ctx, unsigned done, unsigned all), void *ctx,
           struct fault *fault);
/* Called by store_put itself after a put of n bytes: counts them, and cleans if the limit is
 * exceeded. */
void gc_account(struct store *s, int64_t n);
/* Removes every entry; keeps the directory. progress, told the number so far, may be NULL. */
int gc_clear(struct store *s, struct gc_report *out, void (*progress)(uint64_t removed),
             struct fault *fault);
/* Calls each(ctx, class, path) for every entry file until it returns a value other than 0, which is
 * returned; -1 without a store. */
int gc_each(struct store *s, int (*each)(void *ctx, enum store_class class, const char *path),
            void *ctx);
