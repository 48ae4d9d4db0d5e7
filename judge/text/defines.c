/* judge/text/defines.c - the definitions of a command as an input of its candidates. */
#include "judge/text/text.h"

#include <string.h>

#include "judge/output/output.h"
#include "shim/buf.h"

#include "shim/banned.h"

/* The spec of an input that holds for other definitions, too. */
#define FREE "any"

/* -1: no memory. */
static int find_texts(struct arena *arena, struct defined *d)
{
	struct digest_state state;

	digest_init(&state);
	for (size_t i = 0; i < d->count; i++) {
		const char *name = arena_memdup(arena, d->v[i].name, d->v[i].len);

		d->text[i] = !name || !d->v[i].value
		             ? name : arena_cat(arena, name, "=", d->v[i].value, NULL);
		if (!d->text[i])
			return -1;
		digest_add(&state, d->text[i], strlen(d->text[i]) + 1);
	}
	digest_final(&state, &d->digest);
	return 0;
}

void defines_command(struct start *s)
{
	struct defined *d = s->comment_free ? arena_alloc(&s->arena, sizeof *d) : NULL;
	int n = d ? defines_of(&s->cmd, d->v) : -1;

	if (n < 0)
		return;
	d->count = (size_t)n;
	if (find_texts(&s->arena, d) == 0)
		s->defined = d;
}

int defines_argument(const struct defined *defined, int i)
{
	for (size_t k = 0; defined && k < defined->count; k++)
		if (i >= defined->v[k].first && i <= defined->v[k].last)
			return 1;
	return 0;
}

void defines_flight(struct start *s)
{
	if (s->defined && s->defined->count)
		digest_both(&s->flight, &s->k1, &s->defined->digest);
}

/* 1: each output but a list of dependencies is an object for a target that is known. */
static int target_is_known(struct start *s, const struct result *r)
{
	int objects = 0;

	for (size_t i = 0; i < r->out_count; i++) {
		const struct result_output *o = &r->out[i];

		if (judge_is_depfile(s, o, o->data))
			continue;
		if (!defines_target(o->data, o->len))
			return 0;
		objects++;
	}
	return objects > 0;
}

enum reason defines_record(struct start *s, struct tree *t, struct candidate *c,
                           const struct result *r)
{
	struct input *v = s->defined ? arena_alloc(&s->arena, (c->count + 1) * sizeof *v) : NULL;
	int any = s->defined && proof_on(&s->set, PROOF_DEFINES) &&
	          !comment_free_run(s->row, t, r) &&
	          target_is_known(s, r);

	if (!v)
		return s->defined ? REASON_UNSTORED_MEMORY : REASON_NONE;
	memcpy(v + 1, c->v, c->count * sizeof *v);
	/* The first, so that a look-up finds it at once. */
	v[0] = (struct input){.kind = INPUT_DEFINES, .spec = any ? FREE : "",
	                      .spec_len = any ? strlen(FREE) : 0, .text = "",
	                      .names = s->defined->text, .name_count = s->defined->count,
	                      .value = s->defined->digest};
	c->v = v;
	c->count++;
	return REASON_NONE;
}

static const struct input *input_of(const struct candidate *c)
{
	return c->count && c->v[0].kind == INPUT_DEFINES ? &c->v[0] : NULL;
}

int defines_same(const struct defined *defined, const struct candidate *c)
{
	const struct input *in = input_of(c);

	if (!in || !defined)
		return !in && !defined;
	return digest_equal(&defined->digest, &in->value);
}

static int is_among(const char *text, const char *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(text, v[i]) == 0)
			return 1;
	return 0;
}

/* Adds the macros that only the first list defines in its way. */
static void add_differing(struct buf *names, const char *const *v, size_t n,
                          const char *const *other, size_t others)
{
	for (size_t i = 0; i < n; i++)
		if (!is_among(v[i], other, others)) {
			buf_add(names, v[i], strcspn(v[i], "="));
			buf_u8(names, 0);
		}
}

/* Whether the candidate's texts use none of these macros. The memo keeps the answer for this
 * candidate and the start's definitions. */
static int are_unused(struct start *s, const struct candidate *c, const char *names)
{
	struct digest both, found;
	struct texts texts;
	uint64_t unused;

	digest_both(&both, &c->result, &s->flight);
	if (memo_text_get(&s->memo, DEFINES_RULES, &both, &found, &unused) &&
	    digest_equal(&both, &found))
		return unused == 1;
	unused = texts_read(&texts, s, c, TEXTS_ALL, 0) == 0 &&
	         defines_unused(&texts.asks, names);
	texts_free(&texts);
	memo_text_put(&s->memo, DEFINES_RULES, &both, &both, unused);
	return (int)unused;
}

enum reason defines_hold(struct start *s, const struct candidate *c)
{
	const struct input *in = input_of(c);
	const struct defined *d = s->defined;
	struct buf names = BUF_INIT(&s->arena);

	if (defines_same(s->defined, c))
		return REASON_NONE;
	if (!in || !d)
		return REASON_MISS_INPUT;
	add_differing(&names, d->text, d->count, in->names, in->name_count);
	add_differing(&names, in->names, in->name_count, d->text, d->count);
	buf_u8(&names, 0);
	if (names.failed)
		return REASON_MISS_INPUT;
	/* Where none differs, they stand in another order: each macro has one definition. */
	if (strcmp(in->spec, FREE) == 0 &&
	    (names.len == 1 || are_unused(s, c, (const char *)names.data))) {
		proof_rests(&s->proofs, PROOF_DEFINES);
		return REASON_NONE;
	}
	start_detail(s, names.len == 1 ? "macros are defined in another order, and the run printed "
	                                 "messages"
	                               : "macro %s is defined otherwise, and a text may use it",
	             (const char *)names.data);
	return REASON_MISS_INPUT;
}
