/* judge/expanded.h - shows by preprocessed text that a unit does not ask for names. */
#ifndef JUDGE_EXPANDED_H
#define JUDGE_EXPANDED_H

#include "judge/texts.h"

/* 1: it is shown that no text of the run asks for one of these names (bits). Call it where the
 * texts alone do not decide (docs/internals/names.md, "What a text can ask"). t: the texts of the
 * run; texts below these names are the unit's own. Calls start.expand. THREAD where that is
 * NULL. */
int expanded_without(struct start *s, const struct candidate *c, const struct texts *t,
                     uint64_t names);

#endif
