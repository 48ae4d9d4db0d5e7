/* judge/alone.h - paths that begin with the letters of a directory, and lie elsewhere. THREAD. */
#ifndef JUDGE_ALONE_H
#define JUDGE_ALONE_H

#include "judge/start.h"

/* 1: no input of the candidate has a path that begins with the letters of this start's directory
 * @B<index>, except inputs that are recorded by this name. Compilers treat such other paths like
 * paths in the directory: prefix maps map them (NAMES_MAPPED), and debug information may give them
 * the directory's number (NAMES_DIRECTORY). In a start in another directory compilers would treat
 * them otherwise. 1 also if the name is not such a directory. */
int judge_alone(struct start *s, const struct candidate *c, unsigned index);

#endif
