/* judge/inputs.h - the inputs of a recorded tree. THREAD. */
#ifndef JUDGE_INPUTS_H
#define JUDGE_INPUTS_H

#include "judge/start.h"
#include "trace/tree.h"

/* Fills c->v. Returns REASON_NONE, or why nothing may be stored. */
enum reason judge_inputs(struct start *s, struct tree *t, struct candidate *c);

#endif
