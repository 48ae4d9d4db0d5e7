/* judge/duplicates.h - how files of equal content are related. THREAD. */
#ifndef JUDGE_DUPLICATES_H
#define JUDGE_DUPLICATES_H

#include "judge/collect.h"

/* The value of an INPUT_TWINS, as the files stand now; -1 when one is not there. */
int judge_duplicates(struct start *a, const struct input *in, struct digest *value);
/* After sort_inputs(). */
void collect_duplicates(struct collect *k);

#endif
