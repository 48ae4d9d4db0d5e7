/* proofs/proof.h - why a result serves a start that is not to the letter the recorded one.
 *
 * Each proof is a row of proofs/proofs.def. The action key is the same whether a proof is on or off
 * (REPRISE_PROOFS). A proof that is off frees nothing in what is recorded. A look-up judges a
 * candidate as if all proofs were on, and notes in verdict.rests which of them it needed. The
 * candidate serves only if all of these are on. THREAD. */
#ifndef PROOFS_PROOF_H
#define PROOFS_PROOF_H

#include "shim/reason.h"
#include "shim/settings.h"

enum proof {
#define PROOF(id, number, ...) PROOF_##id = number,
#include "proofs/proofs.def"
#undef PROOF
	PROOF_COUNT
};

/* 1: REPRISE_PROOFS does not turn the proof off. */
static inline int proof_on(const struct settings *set, enum proof proof)
{
	return !(setting_number(set, SETTING_PROOFS) >> proof & 1);
}

/* Its name; "" for a number of a later version. */
const char *proof_name(unsigned number);
/* The number of the proof with this name, or -1. */
int proof_number(const char *name);

#endif
