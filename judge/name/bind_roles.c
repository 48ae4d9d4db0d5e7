/* judge/name/bind_roles.c - the places of names in a command, and where each place lets a name
 * reach. */
#include "judge/name/name.h"

#include <string.h>

#include "names/bases.h"
#include "names/name_shape.h"
#include "shim/path.h"
#include "tools/driver.h"

#include "shim/banned.h"

struct roles {
	struct start *start;
	const struct candidate *c;
	unsigned *reach;
	uint64_t placed; /* bit i: the places of name i in the command are known */
};

static unsigned reach_of(const struct roles *b, size_t k, enum name_role role)
{
	const struct start *s = b->start;
	const struct bound_name *name = &b->c->name[k];

	return name_is_mapped(name->kind)
	               ? driver_reach_mapped(s->row, &s->cmd, role)
	               : driver_reach(s->row, &s->cmd, role);
}

/* Each place of a name in the spec of argument i has a role. An argument that spells the name
 * outside these places makes the name bind. */
static void argument_roles(struct roles *b, int i)
{
	struct start *s = b->start;
	struct buf spec = BUF_INIT(&s->arena);

	names_arg(&s->names, s->cmd.v[i].text, 0, &spec);
	for (size_t p = 0; p + 2 < spec.len; p++) {
		uint64_t which;
		enum name_role role;

		if (spec.data[p] != NAMES_MARK)
			continue;
		which = name_list_in_spec(&s->all_names, (const char *)spec.data + p, 3);
		p += 2;
		role = driver_role(&s->cmd, i, !memchr(spec.data + p, '/', spec.len - p));
		for (size_t k = 0; which; k++, which >>= 1)
			if (which & 1) {
				b->reach[k] |= reach_of(b, k, role);
				b->placed |= 1ull << k;
			}
	}
	for (size_t k = 0; k < b->c->name_count; k++)
		if (spec.failed || memmem(spec.data, spec.len, b->c->name[k].text,
		                          b->c->name[k].len))
			b->reach[k] |= REACH_ANYTHING;
}

/* A response file's name is no argument any more: the command holds its content instead. */
static void response_roles(struct roles *b)
{
	struct start *s = b->start;

	INVOCATION_RESPONSES(i, &s->call) {
		struct buf spec = BUF_INIT(&s->arena);
		uint64_t which;

		names_arg(&s->names, s->call.argv[i], 0, &spec);
		which = name_list_in_spec(&s->all_names, (const char *)spec.data, spec.len);
		b->placed |= which;
		for (size_t k = 0; which; k++, which >>= 1)
			if (which & 1)
				b->reach[k] |= reach_of(b, k, ROLE_RESPONSE);
	}
}

static void value_binds(struct roles *b, const char *value)
{
	for (size_t k = 0; value && k < b->c->name_count; k++)
		if (strstr(value, b->c->name[k].text))
			b->reach[k] |= REACH_ANYTHING;
}

/* The path of text i: the sources, then the inputs. NULL: none, or a relative one. */
static const char *text_path(const struct roles *b, size_t i)
{
	struct start *s = b->start;
	const struct input *in;
	const char *path;

	if (i < s->primaries.count) {
		path = s->primaries.v[i].path;
	} else {
		in = &b->c->v[i - s->primaries.count];
		path = input_is_content(in->kind) ? names_resolve(&s->names, in->spec, in->spec_len,
		                                                  &s->arena) : NULL;
	}
	return path && path[0] == '/' ? path : NULL;
}

/* Below base lies the directory rel[0..n), and there is a text in a directory elsewhere that ends
 * so. No base is a directory of the system. */
static int has_twin(const struct roles *b, const char *base, const char *rel, size_t n)
{
	for (size_t i = 0; i < b->start->primaries.count + b->c->count; i++) {
		const char *path = text_path(b, i);
		size_t len = path ? path_dir_len(path) : 0;

		if (path && len >= n && !path_below(path, base) && !path_below(path, "/usr") &&
		    memcmp(path + len - n, rel, n) == 0)
			return 1;
	}
	return 0;
}

/* 1: in another start, whose names differ, two directories of texts may be one. A table of
 * directories holds each directory once. */
static int meets_others(const struct roles *b, const struct bound_name *name)
{
	int is_base = name_is_base(name->kind);
	const char *base =
		is_base ? arena_memdup(&b->start->arena, name->text, name->len) : NULL;

	if (is_base && !base)
		return 1;
	for (size_t i = 0; i < b->start->primaries.count + b->c->count; i++) {
		const char *path = text_path(b, i);

		if (!path || (base && !path_below(path, base)))
			continue;
		if (base ? has_twin(b, base, path + name->len, path_dir_len(path) - name->len)
		         : names_unknown(&b->start->names, path))
			return 1;
	}
	return 0;
}

/* Debug information may split a path (REACH_DEBUG, REACH_TABLE). The split shows which components
 * the path shares with the working directory, or with a path in a text. A generated name has one
 * component, but a base directory may have several. */
static int may_be_divided(const struct roles *b, size_t k)
{
	const struct bound_name *name = &b->c->name[k];

	if (name->kind == NAME_KIND_DIRECTORY ||
	    (name_is_base(name->kind) && b->reach[k] & (REACH_DEBUG | REACH_TABLE)))
		return (b->reach[k] & (REACH_DEBUG | REACH_TABLE)) != 0;
	return b->reach[k] & (REACH_DEBUG | REACH_TABLE | REACH_LINES) && meets_others(b, name);
}

/* --- public, in header order --- */

void judge_bind_roles(struct start *s, const struct candidate *c, unsigned *reach)
{
	struct roles found = {.start = s, .c = c, .reach = reach}, *b = &found;
	struct buf spec = BUF_INIT(&s->arena);
	uint64_t in_cwd;

	for (int i = 1; i < s->cmd.count; i++)
		argument_roles(b, i);
	response_roles(b);
	for (const char *name = s->row->env; *name; name += strlen(name) + 1)
		value_binds(b, invocation_env(&s->call, name));
	for (size_t i = 0; i < b->c->count; i++)
		if (b->c->v[i].kind == INPUT_ENV)
			value_binds(b, invocation_env(&s->call, b->c->v[i].spec));
	names_path(&s->names, s->call.cwd, &spec);
	in_cwd = name_list_in_spec(&s->all_names, (const char *)spec.data, spec.len);
	for (size_t k = 0; k < b->c->name_count; k++)
		if (in_cwd >> k & 1)
			b->reach[k] |= reach_of(b, k, ROLE_CWD) |
			               (s->verdict.real_of_cwd ? REACH_LENGTH : 0u);
	b->placed |= in_cwd;
	for (size_t k = 0; k < b->c->name_count; k++)
		if (b->c->name[k].kind == NAME_KIND_HASH)
			b->reach[k] = driver_reach(s->row, &s->cmd, ROLE_SOURCE);
		else if (b->c->name[k].kind == NAME_KIND_TEXT &&
		         driver_reach(s->row, &s->cmd, ROLE_SOURCE) & REACH_TIMES)
			b->reach[k] = REACH_TIMES;
		else if (b->c->name[k].kind != NAME_KIND_OWN &&
		         (!(b->placed >> k & 1) || b->c->name[k].len < NAME_VOLATILE_MIN ||
		          (b->c->name[k].kind != NAME_KIND_TEMP &&
		           !name_is_base(b->c->name[k].kind)) || may_be_divided(b, k) ||
		          !name_is_plain(b->c->name[k].text)))
			b->reach[k] = REACH_ANYTHING;
}
