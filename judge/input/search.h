/* judge/input/search.h - searches along PATH. The first call that asks for directories keeps them
 * in the invocation. Memory: the arena. THREAD. */
#pragma once

#include <stddef.h>

#include "judge/invocation.h"
#include "store/entry/candidate.h"

struct tree;

/* The program that the tool's PATH finds. "": none. "unset": there is no PATH. */
const char *judge_search(const struct invocation *call, const char *name, struct arena *a);
/* 1: the file, absolute and tidy, lies directly in a directory of PATH. */
int judge_on_path(struct invocation *call, const char *file, struct arena *a);
/* Names that a tool looks for. gcc looks for two, an LTO link for ten. */
#define JUDGE_SEARCHES_MAX 128
/* Fills names with the distinct names that the tree looked for in directories of PATH. Returns
 * their number, or -1 if names (JUDGE_SEARCHES_MAX) is too small. */
int judge_searches(struct invocation *call, const struct tree *t, const char **names,
                   struct arena *a);

/* The searches along PATH that one candidate depends on, as a set of names.
 *
 * A directory of PATH mostly holds none of the names. One look into the memo says so for all of
 * them, where each search would ask the directory again. An answer for a single name is the same
 * with and without the set. Memory: the start's arena. THREAD. */

struct start;
struct search_dir;
struct search_set {
	const char *const *names;
	size_t count;          /* below 2: each name is asked for by itself */
	struct digest digest;  /* of the names */
	struct search_dir *dir; /* of PATH, each once; NULL: there is no set */
	size_t dirs;
};

/* Takes the names of the candidate's INPUT_SEARCHes. Call it before its inputs are judged. */
void search_set_begin(struct start *s, const struct candidate *c);
/* judge_search() for the start's own PATH. expected: the recorded answer, which is asked for by
 * itself. NULL: memory is refused. */
const char *search_set_find(struct start *s, const char *name, const char *expected);
/* 1: the path is one of the names in a directory of PATH that holds none. 0: not known. */
int search_set_absent(struct start *s, const char *path);
