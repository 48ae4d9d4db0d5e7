/* judge/name/names_proof.h - proves from the events of a run that its result does not depend on the
 * run's names. THREAD. */
#ifndef JUDGE_NAME_NAMES_PROOF_H
#define JUDGE_NAME_NAMES_PROOF_H

#include "judge/start.h"

/* 1: the proof succeeds. Adds the proof's conditions to c's inputs. */
int judge_names_proven(struct start *s, struct candidate *c, const struct result *r);

#endif
