/* judge/inputs.h - the inputs of a recorded tree. THREAD. */
#pragma once

#include "judge/start.h"
#include "trace/tree.h"

/* Fills c->v. Returns REASON_NONE, or why nothing may be stored. */
enum reason judge_inputs(struct start *s, struct tree *t, struct candidate *c);
