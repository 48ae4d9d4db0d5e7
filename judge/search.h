/* judge/search.h - searches along PATH. The first call that asks for directories keeps them in the
 * invocation. Memory: the arena. THREAD. */
#ifndef JUDGE_SEARCH_H
#define JUDGE_SEARCH_H

#include "judge/invocation.h"
#include "judge/tree.h"

/* The program that the tool's PATH finds. "": none. "unset": there is no PATH. */
const char *judge_search(const struct invocation *call, const char *name, struct arena *a);
/* The same, without the directories for which holds_none() is true: the n bytes at dir, as PATH
 * spells them. */
const char *judge_search_past(const struct invocation *call, const char *name,
                              int (*holds_none)(void *ctx, const char *dir, size_t n), void *ctx,
                              struct arena *a);
/* 1: the file, absolute and tidy, lies directly in a directory of PATH. */
int judge_on_path(struct invocation *call, const char *file, struct arena *a);
/* Names that a tool looks for. gcc looks for two, an LTO link for ten. */
#define JUDGE_SEARCHES_MAX 128
/* Fills names with the distinct names that the tree looked for in directories of PATH. Returns
 * their number, or -1 if names (JUDGE_SEARCHES_MAX) is too small. */
int judge_searches(struct invocation *call, const struct tree *t, const char **names,
                   struct arena *a);

#endif
