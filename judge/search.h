/* judge/search.h - what PATH finds. THREAD. */
#ifndef JUDGE_SEARCH_H
#define JUDGE_SEARCH_H

#include "judge/tree.h"
#include "judge/start.h"

/* The program that this start's PATH finds, "" for none, "unset" without a PATH. */
const char *judge_search(struct start *a, const char *name);
/* 1 for a file, absolute and tidy, that was asked for directly in a directory of PATH. */
int judge_on_path(struct start *a, const char *file);
/* Names that one tool looks for; gcc's are two, an LTO link's ten. */
#define JUDGE_SEARCHES_MAX 128
/* The names that were looked for in directories of PATH, distinct. Their count, -1 when
 * there are more than names (JUDGE_SEARCHES_MAX) holds. */
int judge_searches(struct start *a, const struct tree *t, const char **names);

#endif
