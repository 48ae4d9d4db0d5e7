/* judge/text/expanded.h - shows by preprocessed text that a unit does not ask for names. */
#ifndef JUDGE_TEXT_EXPANDED_H
#define JUDGE_TEXT_EXPANDED_H

#include "judge/text/texts.h"

/* Where the texts alone do not decide whether one asks for a name (docs/internals/names.md, "What a
 * text can ask"), the preprocessor can. A run in a new directory costs a fifth more with it, so
 * the recorded run does not ask: the first start with other names does. */

/* 1: the preprocessor may show that no text of the run asks for one of these names (bits). t: the
 * texts of the run; texts below these names are the unit's own. THREAD. */
int expanded_may_show(const struct start *s, struct texts *t, uint64_t names);
/* REASON_NONE: these names are the start's, or the preprocessor shows for this start that no text
 * asks for them. If it was asked, they have the bindings that follow (proofs.learned). All inputs
 * of c hold. Calls preprocessor.expand, once a start. THREAD where that is NULL. */
enum reason expanded_lets(struct start *s, struct candidate *c);

#endif
