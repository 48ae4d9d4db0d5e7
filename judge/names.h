/* judge/names.h - the names of a start. */
#ifndef JUDGE_NAMES_H
#define JUDGE_NAMES_H

#include "judge/start.h"

/* THREAD. Puts the names in one list. Call it when all arguments are spelled. 0, or -1: no
 * memory. */
int judge_names(struct start *s);

#endif
