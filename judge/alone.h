/* judge/alone.h - paths that begin with the letters of a directory, and lie elsewhere. THREAD. */
#ifndef JUDGE_ALONE_H
#define JUDGE_ALONE_H

#include "judge/start.h"

/* 1: no input of the candidate has a path that begins with the letters of this start's directory
 * of this kind, except inputs that are recorded by this name. Compilers treat such other paths like
 * paths in the directory: prefix maps map them (NAME_KIND_MAPPED), and debug information may give
 * them the directory's number (NAME_KIND_DIRECTORY). In a start in another directory compilers
 * would treat them otherwise. 1 also for a name of another kind. */
int judge_alone(struct start *s, const struct candidate *c, unsigned kind);

#endif
