/* action/twins.h - how files of equal content are related. THREAD. */
#ifndef ACTION_TWINS_H
#define ACTION_TWINS_H

#include "action/collect.h"

/* The value of an INPUT_TWINS, as the files stand now; -1 when one is not there. */
int action_twins(struct action *a, const struct input *in, struct digest *value);
/* After sort_inputs(). */
void collect_twins(struct collect *k);

#endif
