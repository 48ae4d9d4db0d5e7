/* judge/names_proof.h - a run is shown independent of its names by what it did with them. THREAD. */
#ifndef JUDGE_NAMES_PROOF_H
#define JUDGE_NAMES_PROOF_H

#include "judge/start.h"

/* 1 when it is. Adds to c's inputs what that rests on. */
int judge_names_proven(struct start *s, struct candidate *c, const struct result *r);
/* 1 when the text spells one of the start's names. */
int judge_text_names(const struct start *s, const void *text, size_t n);

#endif
