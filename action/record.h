/* action/record.h - the real tool runs, and what it did is judged and stored. */
#ifndef ACTION_RECORD_H
#define ACTION_RECORD_H

#include "action/action.h"

/* Forks; returns in the child, or in the only process when recording is impossible
 * (a->start.verdict.reason says why). */
void action_record(struct action *a);

#endif
