/* judge/object/order.c - the order of two strings in debug information. */
#include "judge/object/order.h"

#include <string.h>

#include "judge/input/collect.h"
#include "judge/input/input.h"
#include "judge/object/directory.h"
#include "judge/output/output.h"
#include "shim/buf.h"
#include "tools/cmdline/cmdline.h"
#include "tools/object/debug_strings.h"

#include "shim/banned.h"

int judge_order(struct start *s, struct candidate *c, const struct result *r)
{
	const char *name = cmdline_operand(&s->cmd);
	/* As debug information spells them. */
	const char *written = name ? prefix_map_debug(&s->cmd, name, &s->arena) : NULL;
	const char *directory = prefix_map_debug(&s->cmd, s->call.cwd, &s->arena);
	struct collect k = {.start = s, .c = c, .cap = c->count};
	struct buf spec = BUF_INIT(&s->arena);
	struct input *in;

	/* If $PWD is another spelling of the directory, that is entered. */
	if (!written || !directory || judge_pwd(s)[0])
		return -1;
	for (size_t i = 0; i < r->out_count; i++)
		if (!judge_is_depfile(s, &r->out[i], r->out[i].data) &&
		    !debug_strings_hold(s->row, r->out[i].data, r->out[i].len, written, directory))
			return -1;
	names_path(&s->names, name, &spec);
	buf_u8(&spec, 0);
	in = spec.failed ? NULL : collect_input(&k, INPUT_ORDER);
	if (!in)
		return -1;
	in->type = debug_strings_order(s->row, written, directory);
	in->spec = (const char *)spec.data;
	in->spec_len = spec.len - 1;
	return 0;
}

static size_t order_among(const struct candidate *c)
{
	size_t i = 0;

	while (i < c->count && c->v[i].kind != INPUT_ORDER)
		i++;
	return i;
}

/* The only output that is no dependency file; NULL: there is another number of them. */
static struct result_output *only_product(struct start *s, const struct result *r)
{
	struct result_output *found = NULL;

	for (size_t i = 0; i < r->out_count; i++) {
		if (judge_is_depfile(s, &r->out[i], r->out[i].data))
			continue;
		if (found)
			return NULL;
		found = &r->out[i];
	}
	return found;
}

int judge_other_order(struct start *s, const struct candidate *c, const struct result *r,
                      struct candidate *other, struct result *made)
{
	size_t at = order_among(c);
	struct buf product = BUF_INIT(&s->arena);
	const struct result_output *was;
	struct result_output *o;
	struct input *order;

	if (at == c->count || !(was = only_product(s, r)))
		return -1;
	/* Assembly is assembled again. */
	if (memchr(was->data, 0, was->len) && judge_has_assembly(s, c))
		return -1;
	if (debug_strings_exchange(s->row, &product, was->data, was->len) < 0)
		return -1;
	*other = *c;
	*made = *r;
	other->v = (void *)arena_memdup(&s->arena, c->v, c->count * sizeof *c->v);
	made->out = (void *)arena_memdup(&s->arena, r->out, r->out_count * sizeof *r->out);
	if (!other->v || !made->out)
		return -1;
	order = &other->v[at];
	order->type = order->type == LINE_ORDER_NAME ? LINE_ORDER_DIRECTORY : LINE_ORDER_NAME;
	o = &made->out[was - r->out];
	o->data = product.data;
	o->patches = (struct patch_list){0};
	patch_find(&o->patches, o->data, o->len, s->all_names.v, s->all_names.output_count,
	           &s->arena);
	return 0;
}
