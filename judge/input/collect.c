/* judge/input/collect.c - the growing list of inputs, and the refusal that ends it. */
#include "judge/input/collect.h"

#include "shim/banned.h"

struct input *collect_input(struct collect *k, unsigned kind)
{
	struct candidate *c = k->c;
	struct input *v = NULL;

	if (c->count < CANDIDATE_INPUTS_MAX)
		v = arena_grow(&k->start->arena, c->v, c->count, &k->cap, sizeof *v, 256);
	if (!v) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return NULL;
	}
	c->v = v;
	c->v[c->count] = (struct input){.kind = (unsigned char)kind, .spec = "", .text = ""};
	return &c->v[c->count++];
}

void collect_spec(struct collect *k, struct input *in, const char *path, int relative)
{
	struct buf spec = BUF_INIT(&k->start->arena);

	start_spec(k->start, path, relative, &k->bound, &spec);
	buf_u8(&spec, 0);
	if (spec.failed) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	in->spec = (const char *)spec.data;
	in->spec_len = spec.len - 1;
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
