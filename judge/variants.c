/* judge/variants.c - candidates that differ in nothing but the surroundings of their runs. */
#include "judge/variants.h"

#include <string.h>

#include "shim/banned.h"

static int has(const struct candidate *c, unsigned kind)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == kind)
			return 1;
	return 0;
}

/* The next input that is no part of the surroundings. Beside an environment as a whole, a single
 * variable is one. */
static size_t next(const struct candidate *c, size_t i, int variables)
{
	while (i < c->count && (c->v[i].kind == INPUT_STREAM || c->v[i].kind == INPUT_INHERITED ||
	                        c->v[i].kind == INPUT_PROOF ||
	                        (variables && (c->v[i].kind == INPUT_VARIABLES ||
	                                       c->v[i].kind == INPUT_ENV))))
		i++;
	return i;
}

static int same_input(const struct input *x, const struct input *y)
{
	return x->kind == y->kind && x->type == y->type && x->spec_len == y->spec_len &&
	       memcmp(x->spec, y->spec, x->spec_len) == 0 && digest_equal(&x->value, &y->value) &&
	       x->size == y->size && x->mtime_ns == y->mtime_ns;
}

static int same_name(const struct bound_name *x, const struct bound_name *y)
{
	return x->kind == y->kind && x->index == y->index && x->binding == y->binding &&
	       (x->binding == NAME_FREE ||
	        (x->len == y->len && memcmp(x->text, y->text, x->len) == 0));
}

/* The inputs of two candidates of one action come in one order. */
static int is_variant(const struct candidate *x, const struct candidate *y, int variables)
{
	size_t i = next(x, 0, variables), k = next(y, 0, variables);

	if (x->name_count != y->name_count)
		return 0;
	for (size_t n = 0; n < x->name_count; n++)
		if (!same_name(&x->name[n], &y->name[n]))
			return 0;
	for (; i < x->count && k < y->count;
	     i = next(x, i + 1, variables), k = next(y, k + 1, variables))
		if (!same_input(&x->v[i], &y->v[k]))
			return 0;
	return i >= x->count && k >= y->count;
}

int variants_slot(const struct start *s, const struct candidate *c)
{
	int count = 0, oldest = -1, variables = has(c, INPUT_VARIABLES);

	if (!variables && !has(c, INPUT_STREAM) && !has(c, INPUT_INHERITED))
		return -1;
	for (int i = 0; i < s->verdict.seen_count; i++) {
		const struct candidate *was = s->verdict.seen[i];

		if (digest_equal(&was->result, &c->result)) /* it takes its own slot */
			return -1;
		if (s->verdict.seen_slot[i] < 0 || !is_variant(was, c, variables))
			continue;
		count++;
		if (oldest < 0 || candidate_recorded_at(was) <
		                          candidate_recorded_at(s->verdict.seen[oldest]))
			oldest = i;
	}
	return count >= VARIANTS_MOST ? s->verdict.seen_slot[oldest] : -1;
}
