/* judge/input/collect.c - the growing list of inputs, and the refusal that ends it. */
#include "judge/input/collect.h"

#include "shim/banned.h"

/* Room at first, besides an input for each path. */
#define INPUTS_FIRST 64

struct input *collect_input(struct collect *k, unsigned kind)
{
	struct candidate *c = k->c;
	struct input *v = NULL;

	if (c->count < CANDIDATE_INPUTS_MAX)
		v = arena_grow(&k->start->arena, c->v, c->count, &k->cap, sizeof *v,
		               INPUTS_FIRST + (k->t ? k->t->count : 0));
	if (!v) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return NULL;
	}
	c->v = v;
	c->v[c->count] = (struct input){.kind = (unsigned char)kind, .spec = "", .text = ""};
	return &c->v[c->count++];
}

/* Several questions about one path come in a row. */
const struct buf *collect_spec_of(struct collect *k, const char *path, int relative, int *bound)
{
	struct buf *text = &k->spec.text;

	if (k->spec.path != path || k->spec.relative != relative) {
		text->arena = &k->start->arena;
		text->len = 0;
		k->spec.path = path;
		k->spec.relative = relative;
		k->spec.bound = 0;
		start_spec(k->start, path, relative, &k->spec.bound, text);
	}
	*bound |= k->spec.bound;
	return text->failed ? NULL : text;
}

void collect_spec(struct collect *k, struct input *in, const char *path, int relative)
{
	const struct buf *spec = collect_spec_of(k, path, relative, &k->bound);
	const char *text = spec ? arena_memdup(&k->start->arena, spec->data, spec->len) : NULL;

	if (!text) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	in->spec = text;
	in->spec_len = spec->len;
}

void collect_text(struct collect *k, struct input *in, const char *text)
{
	in->text = text;
	in->text_len = strlen(text);
	digest_of(&in->value, text, in->text_len);
}

int collect_relative(const struct tree_file *f)
{
	return tree_is(f, TREE_RELATIVE, TREE_ABSOLUTE);
}

void collect_refuse(struct collect *k, enum reason reason, const char *path)
{
	if (k->reason != REASON_NONE)
		return;
	k->reason = reason;
	start_detail(k->start, "%s", path);
}
