/* proofs/proof.h - why a result serves a start that is not to the letter the recorded one.
 *
 * Each proof is a row of proofs/proofs.def. The action key is the same whether a proof is on or off
 * (REPRISE_PROOFS). A proof that is off frees nothing in what is recorded. A look-up judges a
 * candidate as if all proofs were on, and marks which of them it needs. The candidate serves only
 * if all of these are on. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/settings/settings.h"

enum proof {
#define PROOF(id, number, ...) PROOF_##id = number,
#include "proofs/proofs.def"
	PROOF_COUNT = 0
#define PROOF(...) + 1
#include "proofs/proofs.def"
};

/* 1: REPRISE_PROOFS does not turn the proof off. */
static inline int proof_on(const struct settings *set, enum proof proof)
{
	return !(setting_number(set, SETTING_PROOFS) >> proof & 1);
}

/* What the proofs of one start did. A set of names is one word: bit i is name i, and bit 31 also
 * stands for all names behind it. A set of proofs has bit n for proof n. */
struct proof_marks {
	unsigned freed[PROOF_COUNT]; /* of the candidate that is recorded: names, by proof */
	unsigned always;             /* of that one, too: proofs that each hit rests on */
	unsigned differ;             /* of the judged candidate: names that are not the start's */
	unsigned rests;              /* proofs that it needs to hold */
	int learned;                 /* its bindings changed: the store does not have them yet */
};

/* The proof frees name i of the candidate that is recorded. */
void proof_frees(struct proof_marks *m, enum proof proof, size_t i);
/* Every hit of the candidate that is recorded rests on the proof. */
void proof_always(struct proof_marks *m, enum proof proof);
/* Name i of the judged candidate is not the start's. */
void proof_differs(struct proof_marks *m, size_t i);
/* The judged candidate holds by this proof. */
void proof_rests(struct proof_marks *m, enum proof proof);

/* What replaying an output did. */
enum exchange {
	EXCHANGE_FAILED = -1,
	EXCHANGE_NOT, /* no proof is concerned */
	EXCHANGE_OUT, /* the output is in the buf */
	EXCHANGE_HERE /* the bytes were changed in place */
};

/* Its name; "" for a number of a later version. */
const char *proof_name(unsigned number);
/* The number of the proof with this name, or -1. */
int proof_number(const char *name);
