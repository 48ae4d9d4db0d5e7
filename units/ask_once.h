/* units/ask_once.h - asks the fetcher (units/ask.h) at most once in NEGATIVE_CACHE_S for a key. */
#ifndef UNITS_ASK_ONCE_H
#define UNITS_ASK_ONCE_H

#include "store/negative_cache.h"
#include "units/ask.h"

/* As ask(), at most once in NEGATIVE_CACHE_S for a key, and not while no fetcher answers. asked:
 * the node's record of questions, from ask_memory. FILLED: the local store may hold more than
 * before. ABSENT: the local store holds all that any store has. SKIPPED: the remote store's content
 * is not known, *why may say why. Two processes may ask for one key at the same time. THREAD. */
void ask_memory(struct negative_cache *asked, const struct store *s, struct arena *a);
enum ask_answer ask_once(struct store *s, const struct settings *set, char *const envp[],
                         const struct negative_cache *asked,
                         enum store_class class, const struct digest *key, struct arena *a,
                         const char **why);

#endif
