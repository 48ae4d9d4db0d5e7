/* Notes of proofs in candidates: what is added, and what a start that differs needs. */
#include <criterion/criterion.h>

#include "judge/proof_notes.h"

static struct start *s;
static struct candidate c;
static struct tool_row row = {.flags = TOOL_UNKNOWN};
static struct primary primary;

static void begin(void)
{
	static struct arena arena = ARENA_INIT;

	s = arena_alloc_aligned(&arena, sizeof *s, _Alignof(struct start));
	cr_assert_not_null(s);
	s->row = &row;
	s->call.cwd = "/one";
	s->call.cwd_len = 4;
	s->primaries.v = &primary;
	s->primaries.count = 1;
	digest_of(&primary.content, "text", 4);
	primary.keyed = primary.content;
	c = (struct candidate){0};
}
TestSuite(proof_notes, .init = begin);

static const struct input *note_of(enum proof proof)
{
	for (size_t i = 0; i < c.count; i++)
		if (strcmp(c.v[i].spec, proof_name(proof)) == 0)
			return &c.v[i];
	return NULL;
}

/* What a start needs of the candidate, as bits. */
static unsigned needs(void)
{
	s->proofs.rests = 0;
	for (size_t i = 0; i < c.count; i++) {
		cr_expect_eq(c.v[i].kind, INPUT_PROOF);
		cr_expect(proof_note_holds(s, &c.v[i]));
	}
	return s->proofs.rests;
}

Test(proof_notes, the_same_start_needs_no_proof)
{
	proof_frees(&s->proofs, PROOF_ORDER, 0);
	digest_of(&primary.keyed, "form", 4);
	cr_assert_eq(proof_notes(s, &c), 0);
	cr_expect_not_null(note_of(PROOF_NAMES));
	cr_expect_not_null(note_of(PROOF_COMMENTS));
	cr_expect_eq(note_of(PROOF_ORDER)->type, 1);
	cr_expect_null(note_of(PROOF_ASKS));
	cr_expect_eq(needs(), 0);
}

Test(proof_notes, names_that_differ)
{
	proof_frees(&s->proofs, PROOF_ORDER, 2);
	proof_frees(&s->proofs, PROOF_ASKS, 2);
	proof_frees(&s->proofs, PROOF_ASKS, 40);
	proof_frees(&s->proofs, PROOF_MAPS, 1);
	cr_assert_eq(proof_notes(s, &c), 0);
	proof_differs(&s->proofs, 2);
	cr_expect_eq(needs(), 1u << PROOF_ORDER | 1u << PROOF_ASKS);
	s->proofs.differ = 0;
	proof_differs(&s->proofs, 33);
	cr_expect_eq(needs(), 1u << PROOF_ASKS, "one bit for all names behind the others");
}

Test(proof_notes, what_the_key_leaves_out)
{
	digest_of(&primary.keyed, "form", 4);
	cr_assert_eq(proof_notes(s, &c), 0);
	digest_of(&primary.content, "other", 5);
	cr_expect_eq(needs(), 1u << PROOF_COMMENTS);
	s->call.cwd = "/two";
	cr_expect_eq(needs(), 1u << PROOF_COMMENTS | 1u << PROOF_NAMES);
	/* The key of this start holds all bytes. */
	primary.keyed = primary.content;
	cr_expect_eq(needs(), 1u << PROOF_COMMENTS | 1u << PROOF_NAMES);
}

Test(proof_notes, every_hit_rests_on_it)
{
	proof_always(&s->proofs, PROOF_SCRIPTS);
	proof_always(&s->proofs, PROOF_NAMES);
	cr_assert_eq(proof_notes(s, &c), 0);
	cr_expect_eq(needs(), 1u << PROOF_SCRIPTS | 1u << PROOF_NAMES);
}

Test(proof_notes, a_proof_of_a_later_version_does_not_hold)
{
	struct input in = {.kind = INPUT_PROOF, .spec = "later", .spec_len = 5};

	cr_expect_not(proof_note_holds(s, &in));
	cr_expect_str_eq(s->verdict.detail, "it needs the proof later, which is not known here");
}
