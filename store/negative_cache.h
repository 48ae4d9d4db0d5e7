/* store/negative_cache.h - keys that the remote store did not have a moment ago, shared by all
 * processes of the node.
 *
 * <runtime>/absent.<name> is a table by key (above negative_cache.c) of NEGATIVE_CACHE_SLOTS; a new
 * key replaces another key in its slot. With it a cold start asks once for each key, not once for
 * each attempt. At worst, an entry that another node publishes meanwhile is found some seconds
 * late. THREAD; nothing is kept open. */
#ifndef STORE_NEGATIVE_CACHE_H
#define STORE_NEGATIVE_CACHE_H

#include "shim/arena.h"
#include "store/store.h"

#define NEGATIVE_CACHE_S 5
#define NEGATIVE_CACHE_SLOTS 4096u
struct negative_cache {
	const char *path; /* NULL: no cache */
};
void negative_cache_init(struct negative_cache *t, const struct store *s,
                         const struct digest *remote, struct arena *a);
/* 1 if the key was reported absent in the last NEGATIVE_CACHE_S. */
int negative_cache_known(const struct negative_cache *t, const struct digest *key);
/* 0; -1: it could not be written. */
int negative_cache_note(const struct negative_cache *t, const struct digest *key);
void negative_cache_forget(const struct negative_cache *t, const struct digest *key);

#endif
