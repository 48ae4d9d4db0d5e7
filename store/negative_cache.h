/* store/negative_cache.h - keys that the agent was asked for in vain a moment ago, shared by all
 * processes of the node.
 *
 * <runtime>/asked is a table of NEGATIVE_CACHE_SLOTS slots (store/shared_page.h), of
 *   0  8  the key's first bytes, which are its hash
 *   8  8  time, CLOCK_BOOTTIME ns
 * A new key replaces another key in its slot. With it a cold start asks once for each key, not once
 * for each attempt. At worst, an entry that another node publishes meanwhile is found some seconds
 * late. THREAD; nothing is kept open. */
#ifndef STORE_NEGATIVE_CACHE_H
#define STORE_NEGATIVE_CACHE_H

#include "store/store.h"

#define NEGATIVE_CACHE_S 5
#define NEGATIVE_CACHE_SLOTS 4096u
/* 1 if the key was noted in the last NEGATIVE_CACHE_S. */
int negative_cache_known(const struct store *s, const struct digest *key);
/* 0; -1: the runtime directory cannot be written. */
int negative_cache_note(const struct store *s, const struct digest *key);
void negative_cache_forget(const struct store *s, const struct digest *key);

#endif
