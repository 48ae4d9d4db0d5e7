/* remote/negative_cache.h - a short memory, of all processes of the node, of what the remote store does not have.
 *
 * <runtime>/absent.<name>, a table by key (above absent.c) of NEGATIVE_CACHE_SLOTS; what meets in a slot forgets what was there.
 * A cold start then asks once for each key and not in each of its tries. At worst an entry that another node
 * published meanwhile is found some seconds late. THREAD; nothing is kept open. */
#ifndef REMOTE_NEGATIVE_CACHE_H
#define REMOTE_NEGATIVE_CACHE_H

#include "shim/arena.h"
#include "shim/digest.h"
#include "store/store.h"

#define NEGATIVE_CACHE_S 5
#define NEGATIVE_CACHE_SLOTS 4096u
struct negative_cache {
	const char *path; /* NULL: no memory */
};
void negative_cache_init(struct negative_cache *t, const struct store *s, const struct digest *remote, struct arena *a);
/* 1 when it was said to be absent in the last NEGATIVE_CACHE_S. */
int negative_cache_known(const struct negative_cache *t, const struct digest *key);
void negative_cache_note(const struct negative_cache *t, const struct digest *key);
void negative_cache_forget(const struct negative_cache *t, const struct digest *key);

#endif
