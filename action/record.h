/* action/record.h - runs the real tool, judges the run and stores its result. */
#ifndef ACTION_RECORD_H
#define ACTION_RECORD_H

#include "action/action.h"

/* Forks. Returns in the child. Returns in the only process if recording is impossible;
 * start_missed() knows why. */
void action_record(struct action *a);

#endif
