/* judge/proof_notes.c - notes of proofs in candidates. */
#include "judge/proof_notes.h"

#include <string.h>

#include "judge/proof_verbs.h"

#include "shim/banned.h"

/* Every hit rests on the proof. 32 names that are all free look the same, and count as that. */
#define ALWAYS UINT32_MAX

/* 1: the key leaves a part of an input out. */
static int leaves_out(const struct primaries *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (!p->v[i].response && !digest_equal(&p->v[i].keyed, &p->v[i].content))
			return 1;
	return 0;
}

/* If the inputs may differ: all their bytes. */
static int content_if(const struct primaries *p, int differs, struct digest *out)
{
	struct digest_state state;

	if (!differs)
		return 0;
	if (p->count == 1) {
		*out = p->v[0].content;
		return 1;
	}
	digest_init(&state);
	for (size_t i = 0; i < p->count; i++)
		if (!p->v[i].response)
			digest_add(&state, p->v[i].content.b, sizeof p->v[i].content.b);
	digest_final(&state, out);
	return 1;
}

/* What may differ besides names, as it is now. 0: nothing. */
static int differing(struct start *s, enum proof proof, struct digest *out)
{
	switch (proof) {
#define DIFFERS(id, call) \
	case PROOF_##id: \
		return call;
#include "proofs/proofs.def"
	default:
		return 0;
	}
}

int proof_notes(struct start *s, struct candidate *c)
{
	struct input *v = arena_alloc(&s->arena, (c->count + PROOF_COUNT) * sizeof *v);

	if (!v)
		return -1;
	if (c->count)
		memcpy(v, c->v, c->count * sizeof *v);
	c->v = v;
	for (int i = 0; i < PROOF_COUNT; i++) {
		struct input in = {.kind = INPUT_PROOF, .type = s->proofs.freed[i], .text = "",
		                   .spec = proof_name((unsigned)i)};

		if (s->proofs.always >> i & 1)
			in.type = ALWAYS;
		in.spec_len = strlen(in.spec);
		if (differing(s, (enum proof)i, &in.value) || in.type)
			v[c->count++] = in;
	}
	return 0;
}

int proof_note_holds(struct start *s, const struct input *in)
{
	static const struct digest none;
	int proof = proof_number(in->spec), valued = !digest_equal(&in->value, &none);
	struct digest now;

	if (proof < 0)
		return start_detail(s, "it needs the proof %s, which is not known here", in->spec);
	if (in->type & s->proofs.differ || in->type == ALWAYS ||
	    (valued && (!differing(s, (enum proof)proof, &now) ||
	                !digest_equal(&in->value, &now))))
		proof_rests(&s->proofs, (enum proof)proof);
	return 1;
}
