/* proofs/proof.c - names of proofs. */
#include "proofs/proof.h"

#include <string.h>

#include "shim/banned.h"

static const char names[PROOF_COUNT][16] = {
#define PROOF(id, number, name, ...) [number] = name,
#include "proofs/proofs.def"
#undef PROOF
};

const char *proof_name(unsigned number)
{
	return number < PROOF_COUNT ? names[number] : "";
}

int proof_number(const char *name)
{
	for (int i = 0; i < PROOF_COUNT; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}
