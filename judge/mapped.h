/* judge/mapped.h - the name that a command's prefix maps hide (NAMES_MAPPED). THREAD. */
#ifndef JUDGE_MAPPED_H
#define JUDGE_MAPPED_H

#include "judge/start.h"

/* 1: of the candidate's inputs only those below the start's own directory have paths that begin
 * with its letters. A compiler maps the others too, and under another directory it does not. 1
 * also where the start has no such directory. */
int judge_mapped_alone(struct start *s, const struct candidate *c);

#endif
