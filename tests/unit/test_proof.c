/* Proofs: names and numbers. */
#include <criterion/criterion.h>

#include "proofs/proof.h"

TestSuite(proof);

Test(proof, names)
{
	for (int i = 0; i < PROOF_COUNT; i++)
		cr_expect_eq(proof_number(proof_name((unsigned)i)), i);
	cr_expect_eq(proof_number("comment"), -1);
	cr_expect_str_eq(proof_name(PROOF_COUNT), "");
	cr_expect_str_eq(proof_name(31), "");
}

/* Events and stores of other builds hold them. */
Test(proof, numbers_stay)
{
	cr_expect_eq(PROOF_COMMENTS, 0);
	cr_expect_eq(PROOF_SOURCE_NAMES, 9);
	cr_expect_eq(PROOF_FAILURES, 16);
	cr_expect_leq(PROOF_COUNT, 32, "bits of an event");
}
