/* judge/search.h - searches along PATH. THREAD. */
#ifndef JUDGE_SEARCH_H
#define JUDGE_SEARCH_H

#include "judge/tree.h"
#include "judge/start.h"

/* The program that this start's PATH finds. "": none. "unset": there is no PATH. */
const char *judge_search(struct start *s, const char *name);
/* 1: the file, absolute and tidy, lies directly in a directory of PATH. */
int judge_on_path(struct start *s, const char *file);
/* Names that a tool looks for. gcc looks for two, an LTO link for ten. */
#define JUDGE_SEARCHES_MAX 128
/* Fills names with the distinct names that the tree looked for in directories of PATH. Returns
 * their number, or -1 if names (JUDGE_SEARCHES_MAX) is too small. */
int judge_searches(struct start *s, const struct tree *t, const char **names);

#endif
