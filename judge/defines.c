/* judge/defines.c - the definitions of a command as an input of its candidates. */
#include "judge/defines.h"

#include <string.h>

#include "judge/comment_free.h"
#include "judge/texts.h"
#include "shim/buf.h"
#include "tools/defines.h"

#include "shim/banned.h"

/* The spec of an input that holds for other definitions, too. */
#define FREE "any"

void defines_command(struct start *s)
{
	struct define v[DEFINES_MAX];
	int n = s->comment_free ? defines_of(&s->cmd, v) : -1;

	s->define = arena_alloc(&s->arena, sizeof v);
	if (n < 0 || !s->define)
		return;
	memcpy(s->define, v, (size_t)n * sizeof *v);
	s->define_count = (size_t)n;
	s->apart = 1;
}

int defines_argument(const struct start *s, int i)
{
	for (size_t k = 0; k < s->define_count; k++)
		if (i >= s->define[k].first && i <= s->define[k].last)
			return 1;
	return 0;
}

/* As candidates hold it: "FOO=1", or "FOO" for -UFOO. */
static const char *text_of(struct start *s, const struct define *d)
{
	const char *name = arena_memdup(&s->arena, d->name, d->len);

	return !name || !d->value ? name : arena_cat(&s->arena, name, "=", d->value, NULL);
}

/* -1: no memory. */
static int texts_of(struct start *s, const char **v, struct digest *all)
{
	struct digest_state state;

	digest_init(&state);
	for (size_t i = 0; i < s->define_count; i++) {
		v[i] = text_of(s, &s->define[i]);
		if (!v[i])
			return -1;
		digest_add(&state, v[i], strlen(v[i]) + 1);
	}
	digest_final(&state, all);
	return 0;
}

void defines_flight(struct start *s)
{
	const char *v[DEFINES_MAX];
	struct digest_state state;
	struct digest all;

	s->flight = s->k1;
	if (!s->define_count || texts_of(s, v, &all) < 0)
		return;
	digest_init(&state);
	digest_add(&state, s->k1.b, sizeof s->k1.b);
	digest_add(&state, all.b, sizeof all.b);
	digest_final(&state, &s->flight);
}

int defines_inputs(struct start *s, struct tree *t, struct candidate *c, const struct result *r)
{
	struct input *v = arena_alloc(&s->arena, (c->count + 1) * sizeof *v);
	const char **names = arena_alloc(&s->arena, (s->define_count + 1) * sizeof *names);
	int any = !comment_free_run(t, r);

	if (!s->apart)
		return 0;
	if (!v || !names)
		return -1;
	memcpy(v + 1, c->v, c->count * sizeof *v);
	/* The first, so that a look-up finds it at once. */
	v[0] = (struct input){.kind = INPUT_DEFINES, .spec = any ? FREE : "",
	                      .spec_len = any ? strlen(FREE) : 0, .text = "", .names = names,
	                      .name_count = s->define_count};
	c->v = v;
	c->count++;
	return texts_of(s, names, &v[0].value);
}

static const struct input *input_of(const struct candidate *c)
{
	return c->count && c->v[0].kind == INPUT_DEFINES ? &c->v[0] : NULL;
}

int defines_same(struct start *s, const struct candidate *c)
{
	const struct input *in = input_of(c);
	const char *v[DEFINES_MAX];
	struct digest now;

	if (!in)
		return !s->apart;
	return s->apart && texts_of(s, v, &now) == 0 && digest_equal(&now, &in->value);
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
	struct digest_state state;
	struct digest both, found;
	struct texts texts;
	uint64_t unused;

	digest_init(&state);
	digest_add(&state, c->result.b, sizeof c->result.b);
	digest_add(&state, s->flight.b, sizeof s->flight.b);
	digest_final(&state, &both);
	if (memo_text_get(&s->memo, DEFINES_RULES, &both, &found, &unused) &&
	    digest_equal(&both, &found))
		return unused == 1;
	unused = texts_read(&texts, s, c, TEXTS_ALL) == 0 && defines_unused(&texts.asks, names);
	texts_free(&texts);
	memo_text_put(&s->memo, DEFINES_RULES, &both, &both, unused);
	return (int)unused;
}

int defines_hold(struct start *s, const struct candidate *c)
{
	const struct input *in = input_of(c);
	struct buf names = BUF_INIT(&s->arena);
	const char *v[DEFINES_MAX];
	struct digest now;
	int unused;

	if (defines_same(s, c))
		return 1;
	if (!in || !s->apart || texts_of(s, v, &now) < 0)
		return 0;
	add_differing(&names, v, s->define_count, in->names, in->name_count);
	add_differing(&names, in->names, in->name_count, v, s->define_count);
	buf_u8(&names, 0);
	if (names.failed || names.len == 1)
		return 0; /* the same in another order */
	unused = strcmp(in->spec, FREE) == 0 && are_unused(s, c, (const char *)names.data);
	if (!unused)
		start_detail(s, "macro %s is defined otherwise, and a text may use it",
		             (const char *)names.data);
	return unused;
}
