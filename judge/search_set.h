/* judge/search_set.h - the searches along PATH that one candidate depends on, as a set of names.
 *
 * A directory of PATH mostly holds none of the names. One look into the memo says so for all of
 * them, where each search would ask the directory again. An answer for a single name is the same
 * with and without the set. Memory: the start's arena. THREAD. */
#ifndef JUDGE_SEARCH_SET_H
#define JUDGE_SEARCH_SET_H

#include <stddef.h>

#include "shim/digest.h"
#include "store/candidate.h"

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

#endif
