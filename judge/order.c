/* judge/order.c - the order of the two strings that gcc -g writes. */
#include "judge/order.h"

#include <string.h>

#include "judge/outputs.h"
#include "judge/pwd.h"
#include "judge/start.h"
#include "shim/buf.h"
#include "tools/gcc_order.h"
#include "tools/sections.h"

#include "shim/banned.h"

/* The command's spelling of its only source, which gcc enters. */
static const char *only_source(const struct start *s)
{
	const char *found = NULL;

	for (int i = 1; i < s->cmd.count; i++) {
		const struct cmdline_arg *arg = &s->cmd.v[i];

		if (arg->option || arg->text[0] == '-' || arg->text[0] == '@')
			continue;
		if (found)
			return NULL;
		found = arg->text;
	}
	return found;
}

static int is_object(const struct result_output *o)
{
	return o->len > 4 && memcmp(o->data, "\177ELF", 4) == 0;
}

/* 1: an object or assembly that holds the two strings as expected. */
static int in_order(const struct result_output *o, const char *name, const char *directory)
{
	struct section lines;

	if (is_object(o))
		return section_named(&lines, o->data, o->len, ".debug_line_str") == 0 &&
		       gcc_order_holds(lines.data, lines.len, name, directory);
	return gcc_order_holds_text((const char *)o->data, o->len, name, directory);
}

int judge_order(struct start *s, struct candidate *c, const struct result *r)
{
	const char *name = only_source(s);
	struct buf spec = BUF_INIT(&s->arena);
	struct input *v;

	/* If $PWD is another spelling of the directory, gcc enters $PWD. */
	if (!name || judge_pwd(s)[0])
		return -1;
	for (size_t i = 0; i < r->out_count; i++)
		if (!judge_is_depfile(s, &r->out[i], r->out[i].data) &&
		    !in_order(&r->out[i], name, s->call.cwd))
			return -1;
	names_path(&s->names, name, &spec);
	v = arena_alloc(&s->arena, (c->count + 1) * sizeof *v);
	if (spec.failed || !v)
		return -1;
	memcpy(v, c->v, c->count * sizeof *v);
	buf_u8(&spec, 0);
	v[c->count++] = (struct input){.kind = INPUT_ORDER, .type = gcc_order(name, s->call.cwd),
	                               .text = "", .spec = (const char *)spec.data,
	                               .spec_len = spec.len - 1};
	c->v = v;
	return spec.failed ? -1 : 0;
}

/* Exchanges the two strings of an output, and searches it for names again. */
static int exchange(struct start *s, struct result_output *o)
{
	char *data = arena_memdup(&s->arena, o->data, o->len);

	if (!data || gcc_order_exchange(data, o->len) < 0)
		return -1;
	o->data = (unsigned char *)data;
	o->patches = (struct patch_list){0};
	patch_find(&o->patches, data, o->len, s->all_names.v, s->all_names.output_count, &s->arena);
	return 0;
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
	struct input *order;

	if (at == c->count || r->out_count != 1 || is_object(&r->out[0]))
		return -1;
	*other = *c;
	*made = *r;
	other->v = (void *)arena_memdup(&s->arena, c->v, c->count * sizeof *c->v);
	made->out = arena_alloc(&s->arena, sizeof *r->out);
	if (!other->v || !made->out)
		return -1;
	made->out[0] = r->out[0];
	order = &other->v[at];
	order->type = order->type == GCC_ORDER_NAME ? GCC_ORDER_DIRECTORY : GCC_ORDER_NAME;
	return exchange(s, &made->out[0]);
}
