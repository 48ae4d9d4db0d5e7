/* judge/input/duplicates.h - how files of equal content are related. THREAD. */
#ifndef JUDGE_INPUT_DUPLICATES_H
#define JUDGE_INPUT_DUPLICATES_H

#include "judge/input/collect.h"

/* The value of an INPUT_DUPLICATES for the files as they are now. -1: a file is missing. */
int judge_duplicates(struct start *s, const struct input *in, struct digest *value);
/* Call it after sort_inputs(). */
void collect_duplicates(struct collect *k);

#endif
