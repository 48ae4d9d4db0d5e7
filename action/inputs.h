/* action/inputs.h - the inputs of a recorded tree. THREAD. */
#ifndef ACTION_INPUTS_H
#define ACTION_INPUTS_H

#include "action/action.h"
#include "action/tree.h"

/* Fills c->v. REASON_NONE or why nothing may be stored. */
enum reason judge_inputs(struct action *a, struct tree *t, struct candidate *c);

#endif
