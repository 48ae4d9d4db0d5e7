/* judge/variants.c - candidates that differ in nothing but the streams of their runs. */
#include "judge/variants.h"

#include <string.h>

#include "shim/banned.h"

static int is_stream(const struct input *in)
{
	return in->kind == INPUT_STREAM;
}

static size_t next(const struct candidate *c, size_t i)
{
	while (i < c->count && is_stream(&c->v[i]))
		i++;
	return i;
}

static int same_input(const struct input *x, const struct input *y)
{
	return x->kind == y->kind && x->type == y->type && x->spec_len == y->spec_len &&
	       memcmp(x->spec, y->spec, x->spec_len) == 0 && digest_equal(&x->value, &y->value);
}

static int same_name(const struct bound_name *x, const struct bound_name *y)
{
	return x->kind == y->kind && x->index == y->index && x->binding == y->binding &&
	       (x->binding == NAME_FREE ||
	        (x->len == y->len && memcmp(x->text, y->text, x->len) == 0));
}

/* The inputs of two candidates of one action come in one order. */
static int is_variant(const struct candidate *x, const struct candidate *y)
{
	size_t i = next(x, 0), k = next(y, 0);

	if (x->name_count != y->name_count)
		return 0;
	for (size_t n = 0; n < x->name_count; n++)
		if (!same_name(&x->name[n], &y->name[n]))
			return 0;
	for (; i < x->count && k < y->count; i = next(x, i + 1), k = next(y, k + 1))
		if (!same_input(&x->v[i], &y->v[k]))
			return 0;
	return i >= x->count && k >= y->count;
}

int variants_slot(const struct start *s, const struct candidate *c)
{
	int count = 0, oldest = -1, streams = 0;

	for (size_t i = 0; i < c->count && !streams; i++)
		streams = is_stream(&c->v[i]);
	for (int i = 0; streams && i < s->verdict.seen_count; i++) {
		const struct candidate *was = s->verdict.seen[i];

		if (s->verdict.seen_slot[i] < 0 || !is_variant(was, c))
			continue;
		count++;
		if (oldest < 0 || was->made_at < s->verdict.seen[oldest]->made_at)
			oldest = i;
	}
	return count >= VARIANTS_MOST ? s->verdict.seen_slot[oldest] : -1;
}
