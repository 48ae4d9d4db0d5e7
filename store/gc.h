/* store/gc.h - eviction and clean-up, run by a writer or by `reprise gc`, never on a hit.
 *
 * The size of the store is kept in a counter of its own (store/counters.h); when a writer sees it
 * pass the limit it cleans the 2-hex shards, least recently used first (mtime, see store_touch), until
 * the shard is at 90 % of its share; every pass also corrects the counter and removes tmp files older
 * than an hour and empty directories. One cleaner at a time (store/lock.h). TOOL and supervisor. */
#ifndef STORE_GC_H
#define STORE_GC_H

#include "store/store.h"

struct gc_report {
	uint64_t entries, bytes, removed, removed_bytes, litter;
};
/* force: all shards whatever the counter says. progress may be NULL. */
int gc_run(struct store *s, int force, struct gc_report *out,
           void (*progress)(void *ctx, unsigned done, unsigned all), void *ctx, struct fault *fault);
/* After a put of n bytes: accounts, and cleans one shard when over the limit. */
void gc_account(struct store *s, int64_t n);
/* Removes every entry; keeps the directory. */
int gc_clear(struct store *s, struct gc_report *out, struct fault *fault);
/* Calls each(ctx, class, path) for every entry file. */
int gc_each(struct store *s, int (*each)(void *ctx, enum store_class class, const char *path),
            void *ctx);

#endif
