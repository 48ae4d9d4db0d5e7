/* store/gc.h - eviction and clean-up, run by a writer or by `reprise gc`, never on a hit.
 *
 * The size of the store is kept in a counter of its own (store/counters.h); when a writer sees it pass
 * the limit it cleans as many 2-hex shards as hold some thousand entries, going on where the last
 * writer stopped: in a store of ordinary size that is all of them. Least recently used entries go
 * first (mtime, see store_touch; a manifest's slots together) until these shards are at 90 % of their
 * share. The pass corrects the counter, and so does one each time that a host has put 1/512 of the limit, or
 * some thousand entries, since other hosts write to the store as well. Temporary files and traces older than an hour go when the walk has come round, queues that nobody
 * used for QUEUE_UNUSED_S (store/queue.h), and jobs' lists as old as JOB_LIST_KEEP_S (store/job_list.h).
 * One cleaner at a time (store/lock.h). Sizes are in whole 4 KiB blocks, as a disk counts.
 *
 * TOOL and supervisor. Memory: an arena of its own, freed before return. */
#ifndef STORE_GC_H
#define STORE_GC_H

#include "store/store.h"

struct gc_report {
	uint64_t entries, bytes; /* that stay */
	uint64_t removed, removed_bytes;
	uint64_t litter;         /* temporary files, stale traces, unused queues */
};
/* All shards. Without force only litter is removed while the counter is below the limit. progress may
 * be NULL. 0 or -1. */
int gc_run(struct store *s, int force, struct gc_report *out,
           void (*progress)(void *ctx, unsigned done, unsigned all), void *ctx, struct fault *fault);
/* After a put of n bytes, by store_put itself: accounts, and cleans when over the limit. */
void gc_account(struct store *s, int64_t n);
/* Removes every entry; keeps the directory. */
int gc_clear(struct store *s, struct gc_report *out, struct fault *fault);
/* Calls each(ctx, class, path) for every entry file until it returns other than 0, which is returned;
 * -1 without a store. */
int gc_each(struct store *s, int (*each)(void *ctx, enum store_class class, const char *path),
            void *ctx);

#endif
