/* judge/alone.h - paths that begin with the letters of a directory, and lie elsewhere. THREAD. */
#ifndef JUDGE_ALONE_H
#define JUDGE_ALONE_H

#include "judge/start.h"

/* 1: of the candidate's inputs only those that are recorded by the name @B<index> have paths that
 * begin with this start's directory of that name. Compilers treat the others alike: prefix maps
 * map them (NAMES_MAPPED), and debug information may give them the directory's number
 * (NAMES_DIRECTORY). In another directory they would not. 1 also for other names. */
int judge_alone(struct start *s, const struct candidate *c, unsigned index);

#endif
