/* tools/cmdline/cmdline.c - classifies a command line by the option tables. */
#include "tools/cmdline/cmdline.h"

#include <limits.h>
#include <string.h>

#include "tools/cmdline/language.h"
#include "tools/drivers/drivers.h"
#include "tools/options/options.h"

#include "shim/banned.h"

/* One part of a comma list. The kernel would not take a longer path. */
#define SEGMENT_MAX 4096
#define STREAMS (FORWARD_CC1 + 1)
/* Flags that forbid independence of the cwd. */
#define BINDING                                                                                    \
	(CMD_DEBUG | CMD_COVERAGE | CMD_LTO | CMD_DUMP | CMD_PCH | CMD_PREPROCESS | CMD_STDIN |    \
	 OPT_BOUND | OPT_SYNTAX | OPT_BYPASS | OPT_LAUNCHER)

struct parse {
	struct cmdline *c;
	const struct tool_row *row;
	const struct option_table *table, *first_table; /* first_table may be NULL */
	unsigned flags;
	const char *why;
	const struct option *pending;            /* this option's value is the next argument */
	/* the same inside -Wl, -Xlinker and similar options */
	const struct option *streams[STREAMS];
	enum language language;
	int operands, headers, only_operands;
};

static int is_compiler(const struct parse *p)
{
	return p->table == &options_gcc;
}

static int is_cpp(const struct parse *p)
{
	return (p->row->flags & TOOL_CPP) != 0;
}

static void apply(struct parse *p, const struct option *o)
{
	p->flags = (p->flags & ~o->clear) | o->set;
	if (o->set & OPT_BYPASS && !p->why)
		p->why = options_why(o);
}

static int takes_next(const struct option *o, size_t value_at)
{
	return !value_at && (o->shape == SHAPE_SEPARATE || o->shape == SHAPE_BOTH ||
	                     o->shape == SHAPE_EQUAL);
}

static enum arg_role value_role(const struct option *o, int joined)
{
	switch (o->value) {
	case VALUE_LIST:
	case VALUE_OUTPUT: return joined ? ARG_OUTPUT_JOINED : ARG_OUTPUT;
	case VALUE_INPUT: return joined ? ARG_INPUT_JOINED : ARG_INPUT;
	case VALUE_LITERAL: return ARG_LITERAL;
	case VALUE_ANY: break;
	}
	return ARG_PLAIN;
}

static const struct option *find_in(const struct option_table *first, const struct option_table *t,
                                    const char *text, size_t *value_at)
{
	const struct option *o = first ? options_find(first, text, value_at) : NULL;

	return o ? o : options_find(t, text, value_at);
}

/* Handles one option or value that goes to another program. p may be NULL: then only the role is
 * wanted. */
static enum arg_role stream_segment(struct parse *p, const struct option **pending,
                                    enum option_forward to, const char *text, size_t *at)
{
	const struct option_table *t = to == FORWARD_AS   ? &options_as
	                               : to == FORWARD_LD ? &options_ld
	                                                  : &options_gcc;
	const struct option_table *first = t == &options_gcc ? &options_cc1 : NULL;
	const struct option *o = *pending;

	*at = 0;
	if (o) {
		*pending = NULL;
		return value_role(o, 0);
	}
	/* The other program reads options from this file. */
	if (text[0] == '@' && p)
		p->flags |= OPT_BOUND;
	if (text[0] != '-' || !text[1])
		return ARG_PLAIN;
	o = find_in(first, t, text, at);
	if (!o) {
		if (p)
			p->flags |= t->unknown;
		return ARG_PLAIN;
	}
	if (p)
		apply(p, o);
	if (takes_next(o, *at))
		*pending = o;
	return *at ? value_role(o, 1) : ARG_LITERAL;
}

/* Copies the part of a comma list that begins at s. Returns its full length, even if less fits. */
static size_t copy_segment(const char *s, char *out)
{
	size_t n = strcspn(s, ",");

	memcpy(out, s, n < SEGMENT_MAX ? n : 0);
	out[n < SEGMENT_MAX ? n : 0] = '\0';
	return n;
}

/* -Wl,a,b,c. If an output ends the list and no other path is in it, the output gives the argument
 * its role. */
static void forward_list(struct parse *p, struct cmdline_arg *arg, enum option_forward to,
                         size_t at)
{
	const char *text = arg->text;
	enum arg_role role = ARG_LITERAL;
	size_t where = 0;
	int paths = 0;

	do {
		char segment[SEGMENT_MAX];
		size_t n = copy_segment(text + at, segment), value;
		enum arg_role r = stream_segment(p, &p->streams[to], to, segment, &value);

		if (r != ARG_LITERAL) {
			paths++;
			role = r;
			where = at + value;
		}
		at += n;
	} while (text[at] == ',' && (at++, 1));
	if (paths == 0)
		arg->role = ARG_LITERAL;
	else if (paths == 1 && (role == ARG_OUTPUT || role == ARG_OUTPUT_JOINED) &&
	         !strchr(text + where, ',') && where <= USHRT_MAX) {
		arg->role = ARG_OUTPUT_JOINED;
		arg->at = (unsigned short)where;
	}
}

static void take_value(struct parse *p, struct cmdline_arg *arg)
{
	const struct option *o = p->pending;
	size_t at;

	p->pending = NULL;
	arg->option = o->text;
	arg->is_value = 1;
	if (o->forward == FORWARD_NONE) {
		arg->role = value_role(o, 0);
		arg->adds = o->value == VALUE_LIST;
	} else if (o->forward == FORWARD_LANGUAGE) {
		arg->role = ARG_LITERAL;
		p->language = language_named(arg->text);
	} else {
		arg->role = stream_segment(p, &p->streams[o->forward], o->forward, arg->text, &at);
		arg->at = at <= USHRT_MAX ? (unsigned short)at : 0;
		if (at > USHRT_MAX)
			arg->role = ARG_PLAIN;
	}
}

/* -B with an absolute directory, joined or in the next argument. at: where a joined value
 * begins. */
static int is_absolute_prefix(const struct parse *p, const struct cmdline_arg *arg,
                              const struct option *o, size_t at)
{
	const struct cmdline_arg *end = p->c->v + p->c->count;

	return strcmp(o->text, "-B") == 0 &&
	       (at ? arg->text[at] == '/' : arg + 1 < end && arg[1].text[0] == '/');
}

static void take_option(struct parse *p, struct cmdline_arg *arg)
{
	size_t at;
	const struct option *o = find_in(p->first_table, p->table, arg->text, &at);

	if (!o) {
		p->flags |= p->table->unknown;
		if (p->table->unknown & OPT_BYPASS && !p->why)
			p->why = arg->text;
		return;
	}
	if (!is_absolute_prefix(p, arg, o, at))
		apply(p, o);
	arg->option = o->text;
	if (strcmp(o->text, "-fmodule-mapper=") == 0 &&
	    !gcc_module_mapper_is_file(arg->text + at)) {
		p->flags |= OPT_BYPASS;
		p->why = "-fmodule-mapper: asks another program where modules are";
	}
	if (strcmp(o->text, "-f") == 0 && !options_f_known(arg->text))
		p->flags |= OPT_BOUND;
	if (takes_next(o, at)) {
		arg->role = ARG_LITERAL;
		p->pending = o;
	} else if (o->forward == FORWARD_LANGUAGE) {
		arg->role = ARG_LITERAL;
		p->language = language_named(arg->text + at);
	} else if (o->forward != FORWARD_NONE && at) {
		forward_list(p, arg, o->forward, at);
	} else {
		arg->role = at ? value_role(o, 1) : ARG_LITERAL;
		arg->adds = at && o->value == VALUE_LIST;
		arg->at = at <= USHRT_MAX ? (unsigned short)at : 0;
		if (at > USHRT_MAX)
			arg->role = ARG_PLAIN;
	}
}

static void take_operand(struct parse *p, struct cmdline_arg *arg)
{
	enum language language = p->language;

	p->operands++;
	arg->role = ARG_INPUT;
	if (p->table->operands == OPERANDS_ANY || arg->text[0] == '@')
		arg->role = ARG_PLAIN;
	if (strcmp(arg->text, "-") == 0 && p->table->operands != OPERANDS_LD)
		p->flags |= CMD_STDIN;
	if (!is_compiler(p))
		return;
	if (is_cpp(p) && p->row->family == FAMILY_GCC && p->operands == 2)
		arg->role = ARG_OUTPUT; /* cpp in out */
	if (language == LANGUAGE_BY_NAME)
		language = language_of_file(arg->text);
	if (language == LANGUAGE_HEADER)
		p->headers++;
	else if (language == LANGUAGE_CUDA)
		p->flags |= OPT_BOUND |
		            (p->row->family == FAMILY_CLANG && !p->first_table &&
		                             !(p->row->flags & TOOL_OFF) ? CMD_NESTS : 0);
	else if (language == LANGUAGE_COMPILED)
		p->flags |= OPT_BOUND | OPT_USES_PCH;
	else if (language == LANGUAGE_OTHER)
		p->flags |= OPT_BOUND;
}

static void take_argument(struct parse *p, struct cmdline_arg *arg)
{
	const char *s = arg->text;

	if (cmdline_says_native(s))
		p->flags |= CMD_NATIVE;
	if (p->pending)
		take_value(p, arg);
	else if (p->only_operands || s[0] != '-' || !s[1])
		take_operand(p, arg);
	else if (strcmp(s, "--") == 0 && p->table->operands == OPERANDS_AS)
		take_operand(p, arg), p->flags |= CMD_STDIN;
	else if (strcmp(s, "--") == 0 && p->row->family == FAMILY_CLANG)
		p->only_operands = 1;
	else
		take_option(p, arg);
	if (arg->role != ARG_LITERAL && strstr(s, "/dev/stdin")) {
		p->flags |= CMD_STDIN;
		p->c->names_stdin = 1;
	}
}

static void finish_compiler(struct parse *p)
{
	int clang = p->row->family == FAMILY_CLANG;
	int maybe_clang = clang || p->row->flags & TOOL_EITHER;
	int passes = p->row->family == FAMILY_CC1 || p->first_table;

	if (p->headers && !(p->flags & (CMD_PREPROCESS | OPT_SYNTAX)))
		p->flags |= CMD_PCH;
	if (!p->operands && !(p->flags & OPT_SYNTAX) && (is_cpp(p) || passes))
		p->flags |= CMD_STDIN;
	if (passes)
		p->flags |= OPT_BOUND;
	else if (!(p->flags & (CMD_PCH | OPT_NO_LINK | OPT_SYNTAX)))
		p->flags |= CMD_LINK;
	if (maybe_clang && (p->flags & OPT_USES_PCH ||
	                    (p->flags & CMD_PCH && !(p->flags & OPT_NO_PCH_TIMES))))
		p->flags |= CMD_PCH_TIMES;
	if (clang && !(p->flags & OPT_NO_CONFIG))
		p->flags |= CMD_CONFIG;
	if (p->operands && p->flags & OPT_COMPILE && !(p->flags & BINDING))
		p->flags |= CMD_CWD_FREE;
	if (p->row->family == FAMILY_GCC && p->row->flags & TOOL_LIBCPP && p->operands &&
	    p->flags & CMD_PREPROCESS && !(p->flags & (OPT_BOUND | CMD_STDIN)) &&
	    cmdline_preprocess_plain(p->c))
		p->flags |= CMD_PLAIN_CPP;
}

static void finish(struct parse *p)
{
	const char *refused = NULL;

	if (p->flags & OPT_STICKY_DEBUG)
		p->flags |= CMD_DEBUG;
	if (is_compiler(p))
		finish_compiler(p);
	else if (p->row->family == FAMILY_LD)
		p->flags |= CMD_LINK;
	else if (p->row->family == FAMILY_RUSTC)
		refused = rustc_refuses(p->c);
	else if (p->table->operands == OPERANDS_AS && !p->operands)
		p->flags |= CMD_STDIN;
	else if (p->row->flags & TOOL_NAME_FREE && !(p->flags & BINDING))
		p->flags |= CMD_CWD_FREE | CMD_NAME_FREE;
	if (refused) {
		p->flags |= OPT_BYPASS;
		p->why = refused;
	}
	p->c->flags |= p->flags & CMD_PARSED;
	if (p->flags & (OPT_BYPASS | OPT_LAUNCHER) && p->c->bypass == REASON_NONE) {
		p->c->bypass = p->flags & OPT_LAUNCHER ? REASON_BYPASS_LAUNCHER
		                                       : REASON_BYPASS_ARGUMENTS;
		p->c->bypass_detail = p->why ? p->why : "-run: starts another program";
	}
}

/* Calls each for the paths that one part of a comma list, or a complete argument, may hold. */
static void path_in(const char *s, void (*each)(void *ctx, const char *path), void *ctx)
{
	const char *eq = strchr(s, '=');

	if (s[0] == '@')
		each(ctx, s + 1);
	if (s[0] != '-')
		each(ctx, s);
	else if (s[1] && s[1] != '-' && s[2] && s[2] != '=')
		each(ctx, s + 2);
	if (eq && eq[1]) {
		const char *last = strrchr(s, '=');

		each(ctx, eq + 1);
		if (last != eq && last[1])
			each(ctx, last + 1);
	}
}

static void paths_in_list(const char *list, enum option_forward to,
                          void (*each)(void *ctx, const char *path), void *ctx)
{
	const struct option *pending = NULL;
	const char *s = list;

	for (;;) {
		char segment[SEGMENT_MAX];
		size_t n = copy_segment(s, segment), at;
		enum arg_role role = to == FORWARD_NONE ? ARG_PLAIN
		                                        : stream_segment(NULL, &pending, to,
		                                                         segment, &at);

		if (role == ARG_INPUT_JOINED)
			each(ctx, segment + at);
		else if (segment[0] && (role == ARG_PLAIN || role == ARG_INPUT))
			path_in(segment, each, ctx);
		s += n;
		if (*s != ',')
			break;
		s++;
	}
}

/* A switch: a table would be relocated in every process. */
static const struct option_table *table_of(enum tool_family family)
{
	switch (family) {
#define FAMILY(id, driver, options) \
	case FAMILY_##id: \
		return &options_##options;
#include "tools/tools.def"
	}
	return &options_generic;
}

static void classify(struct cmdline *c, const struct tool_row *row)
{
	struct parse p = {.c = c, .row = row, .table = table_of(row->family)};

	if (row->family == FAMILY_LAUNCHER) {
		c->bypass = REASON_BYPASS_LAUNCHER;
		c->bypass_detail = row->name;
		return;
	}
	if (row->family == FAMILY_AR) {
		cmdline_classify_ar(c);
		return;
	}
	if (row->family == FAMILY_CC1 ||
	    (row->family == FAMILY_CLANG && c->count > 1 && strncmp(c->v[1].text, "-cc1", 4) == 0))
		p.first_table = &options_cc1;
	if (row->flags & TOOL_OFF)
		p.flags = OPT_BOUND | CMD_NATIVE;
	if (is_cpp(&p))
		p.flags |= CMD_PREPROCESS | OPT_NO_LINK;
	for (int i = 1; i < c->count; i++)
		take_argument(&p, &c->v[i]);
	finish(&p);
}

void cmdline_classify(struct cmdline *c, const struct tool_row *row)
{
	int *next = &c->first_output;

	classify(c, row);
	for (int i = 1; i < c->count; i++)
		if (cmdline_output(&c->v[i])) {
			*next = i;
			next = &c->v[i].next_output;
		}
}

void cmdline_each_path(const struct cmdline_arg *arg, void (*each)(void *ctx, const char *path),
                       void *ctx)
{
	static const struct { char letter; enum option_forward to; } lists[] = {
		{'l', FORWARD_LD}, {'a', FORWARD_AS}, {'p', FORWARD_CPP}};
	const char *s = arg->text;

	switch (arg->role) {
	case ARG_LITERAL:
		return;
	case ARG_OUTPUT:
	case ARG_INPUT:
		if (s[0])
			each(ctx, s);
		return;
	case ARG_OUTPUT_JOINED:
	case ARG_INPUT_JOINED:
		if (s[arg->at])
			each(ctx, s + arg->at);
		return;
	case ARG_PLAIN:
		break;
	}
	if (s[0] == '-' && s[1] == 'W' && s[2] && s[3] == ',')
		for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
			if (s[2] == lists[i].letter) {
				paths_in_list(s + 4, lists[i].to, each, ctx);
				return;
			}
	if (!s[0])
		return;
	path_in(s, each, ctx);
	if (strchr(s, ','))
		paths_in_list(s, FORWARD_NONE, each, ctx);
}
