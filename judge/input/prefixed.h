/* judge/input/prefixed.h - listings of which only some names matter (library() of a driver):
 * INPUT_PREFIXED. THREAD. */
#ifndef JUDGE_INPUT_PREFIXED_H
#define JUDGE_INPUT_PREFIXED_H

#include "judge/input/collect.h"

/* 1: f is such a listing, and is dealt with. */
int collect_prefixed(struct collect *k, const struct tree_file *f);
/* 1: the input holds for this start. */
int prefixed_holds(struct start *s, const struct input *in, const char *path);

#endif
