/* judge/order.c - the order of two strings in debug information. */
#include "judge/order.h"

#include <string.h>

#include "judge/outputs.h"
#include "judge/pwd.h"
#include "shim/buf.h"
#include "tools/cmdline_words.h"
#include "tools/debug_strings.h"

#include "shim/banned.h"

int judge_order(struct start *s, struct candidate *c, const struct result *r)
{
	const char *name = cmdline_operand(&s->cmd); /* as debug information spells it */
	struct buf spec = BUF_INIT(&s->arena);
	struct input *v;

	/* If $PWD is another spelling of the directory, that is entered. */
	if (!name || judge_pwd(s)[0])
		return -1;
	for (size_t i = 0; i < r->out_count; i++)
		if (!judge_is_depfile(s, &r->out[i], r->out[i].data) &&
		    !debug_strings_hold(s->row, r->out[i].data, r->out[i].len, name, s->call.cwd))
			return -1;
	names_path(&s->names, name, &spec);
	v = arena_alloc(&s->arena, (c->count + 1) * sizeof *v);
	if (spec.failed || !v)
		return -1;
	memcpy(v, c->v, c->count * sizeof *v);
	buf_u8(&spec, 0);
	v[c->count++] = (struct input){.kind = INPUT_ORDER,
	                               .type = debug_strings_order(s->row, name, s->call.cwd),
	                               .text = "", .spec = (const char *)spec.data,
	                               .spec_len = spec.len - 1};
	c->v = v;
	return spec.failed ? -1 : 0;
}

static size_t order_among(const struct candidate *c)
{
	size_t i = 0;

	while (i < c->count && c->v[i].kind != INPUT_ORDER)
		i++;
	return i;
}

int judge_other_order(struct start *s, const struct candidate *c, const struct result *r,
                      struct candidate *other, struct result *made)
{
	size_t at = order_among(c);
	struct buf text = BUF_INIT(&s->arena);
	struct result_output *o;
	struct input *order;

	if (at == c->count || r->out_count != 1 ||
	    debug_strings_exchange(s->row, &text, r->out[0].data, r->out[0].len) < 0)
		return -1;
	*other = *c;
	*made = *r;
	other->v = (void *)arena_memdup(&s->arena, c->v, c->count * sizeof *c->v);
	o = made->out = arena_alloc(&s->arena, sizeof *o);
	if (!other->v || !o)
		return -1;
	order = &other->v[at];
	order->type = order->type == LINE_ORDER_NAME ? LINE_ORDER_DIRECTORY : LINE_ORDER_NAME;
	*o = r->out[0];
	o->data = text.data;
	o->patches = (struct patch_list){0};
	patch_find(&o->patches, o->data, o->len, s->all_names.v, s->all_names.output_count,
	           &s->arena);
	return 0;
}
