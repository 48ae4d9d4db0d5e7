/* proofs/proof.c - names of proofs, and marks. */
#include "proofs/proof.h"

#include <string.h>

#include "shim/banned.h"

static const char names[PROOF_COUNT][16] = {
#define PROOF(id, number, name, ...) [number] = name,
#include "proofs/proofs.def"
};

/* The last bit of a set of names. */
#define NAMES_LAST 31

static unsigned name_bit(size_t i)
{
	return 1u << (i < NAMES_LAST ? i : NAMES_LAST);
}

void proof_frees(struct proof_marks *m, enum proof proof, size_t i)
{
	m->freed[proof] |= name_bit(i);
}

void proof_always(struct proof_marks *m, enum proof proof)
{
	m->always |= 1u << proof;
}

void proof_differs(struct proof_marks *m, size_t i)
{
	m->differ |= name_bit(i);
}

void proof_rests(struct proof_marks *m, enum proof proof)
{
	m->rests |= 1u << proof;
}

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
