/* judge/bind.c - decides from a command, its texts and its outputs which names the result is bound
 * to. */
#include "judge/bind.h"

#include <string.h>

#include "judge/above.h"
#include "judge/alone.h"
#include "judge/bind_files.h"
#include "judge/bind_roles.h"
#include "judge/directory.h"
#include "judge/expanded.h"
#include "judge/facts.h"
#include "judge/names_proof.h"
#include "judge/object_link.h"
#include "judge/order.h"
#include "judge/outputs.h"
#include "judge/pwd.h"
#include "judge/start.h"
#include "judge/texts.h"
#include "judge/variables.h"
#include "shim/buf.h"
#include "shim/log.h"
#include "shim/path.h"
#include "tools/driver.h"
#include "tools/sections.h"
#include "tools/specs.h"
#include "keying/name_shape.h"

#include "shim/banned.h"

#define STRING_WHOLE 200 /* gcc writes a name of so many bytes into assembly in one piece */

struct bind {
	struct start *start;
	struct candidate *c;
	struct result *r;
	unsigned reach[NAMES_MOST];
	/* bit i: name i binds; it stands in the result and is exchanged there */
	uint64_t bound, stands;
	uint64_t asked;         /* names that bind until the preprocessor shows that they do not */
	int tells;              /* functions that are only declared receive the source's name */
	int says_code;          /* standard output holds the compiled code */
	const char *why;        /* the first reason why a name binds */
};

static void bind_names(struct bind *b, uint64_t which, const char *why)
{
	if (which & ~b->bound && !b->why)
		b->why = why;
	b->bound |= which;
}

static const struct bound_name *name_at(const struct bind *b, size_t i)
{
	return &b->c->name[i];
}

static int is_mapped(const struct bind *b, size_t k)
{
	return name_at(b, k)->kind == NAME_KIND_BASE && name_at(b, k)->index == NAMES_MAPPED;
}

static int is_directory(const struct bind *b, size_t k)
{
	return name_at(b, k)->kind == NAME_KIND_BASE && name_at(b, k)->index == NAMES_DIRECTORY;
}

static void bind_where(struct bind *b, unsigned reach, const char *why)
{
	for (size_t i = 0; i < b->c->name_count; i++)
		if (b->reach[i] & reach)
			bind_names(b, 1ull << i, why);
}

static int is_assembly(struct start *s, const struct result_output *o)
{
	return !memchr(o->data, 0, o->len) && !judge_is_depfile(s, o, o->data) &&
	       !(s->cmd.flags & CMD_PREPROCESS);
}

/* 1: the name may stand at this place. */
static int place_known(struct bind *b, const struct result_output *o, const struct patch *p,
                       size_t i)
{
	unsigned reach = b->reach[i];
	struct section s;

	if (judge_is_depfile(b->start, o, o->data))
		return (reach & REACH_DEPS) != 0;
	if (reach & REACH_TEXT)
		return !memchr(o->data, 0, o->len);
	if (b->start->all_names.v[i].kind == NAME_KIND_HASH)
		return (reach & REACH_HASH) != 0;
	if (is_assembly(b->start, o))
		return (reach & (REACH_LINES | REACH_TABLE) &&
		        driver_lines_at(b->start->row, (const char *)o->data, o->len,
		                        p->offset)) ||
		       (b->tells && reach & REACH_ASKED &&
		        assembly_section_is((const char *)o->data, p->offset, ".rodata"));
	if (section_at(&s, o->data, o->len, p->offset) < 0)
		return 0;
	if (strncmp(s.name, ".debug_line", 11) == 0)
		return (reach & (REACH_LINES | REACH_TABLE | REACH_DEBUG)) != 0;
	if (strncmp(s.name, ".debug_", 7) == 0)
		return (reach & REACH_DEBUG) != 0;
	return b->tells && reach & REACH_ASKED && strncmp(s.name, ".rodata", 7) == 0;
}

static size_t index_of(const struct bind *b, const struct patch *p)
{
	for (size_t i = 0; i < b->c->name_count; i++)
		if (name_at(b, i)->kind == p->kind && name_at(b, i)->index == p->index)
			return i;
	return NAMES_MOST;
}

/* 1: the lines of a dependency file are broken anew where a name of another length stands. */
static int breaks_move(struct bind *b, const struct result_output *o)
{
	return judge_is_depfile(b->start, o, o->data) &&
	       depfile_has(driver_depfile_layout(b->start->row), (const char *)o->data, o->len,
	                   &b->start->arena);
}

/* Debug information keeps the names of the recording run, where that is accepted. */
static void leave_debug(struct result_output *o)
{
	struct patch_list *l = &o->patches;
	size_t kept = 0;

	for (size_t k = 0; k < l->count; k++) {
		struct section s;

		if (section_at(&s, o->data, o->len, l->v[k].offset) < 0 ||
		    strncmp(s.name, ".debug_", 7) != 0)
			l->v[kept++] = l->v[k];
	}
	l->count = kept;
}

static void outputs(struct bind *b)
{
	for (size_t i = 0; i < b->r->out_count; i++) {
		struct result_output *o = &b->r->out[i];
		int moves = breaks_move(b, o);

		if (b->start->cmd.flags & CMD_DEBUG_ANYWHERE)
			leave_debug(o);

		if (o->patches.overflow)
			bind_names(b, ~0ull, "an output holds the name too often");
		if (sections_hide_names(o->data, o->len))
			bind_names(b, ~0ull, "compressed parts of an output may hold the name");
		for (size_t k = 0; k < o->patches.count; k++) {
			size_t which = index_of(b, &o->patches.v[k]);

			if (which == NAMES_MOST || b->bound >> which & 1 ||
			    name_at(b, which)->kind == NAME_KIND_OWN)
				continue;
			if (!moves)
				b->stands |= 1ull << which;
			if (!place_known(b, o, &o->patches.v[k], which))
				bind_names(b, 1ull << which,
				           "an output holds the name at an unknown place");
		}
	}
}

/* 0: the product is on standard output. That may also hold messages if both streams are one. */
static int has_product(struct bind *b)
{
	for (size_t i = 0; i < b->r->out_count; i++)
		if (!judge_is_depfile(b->start, &b->r->out[i], b->r->out[i].data))
			return 1;
	return 0;
}

/* 1: a name of any length may stand in what the stream got. */
static int flows(const struct bind *b, int stream)
{
	const struct start *s = b->start;

	return s->streams.kind[stream] != STREAM_TERMINAL && !(s->cmd.flags & CMD_PREPROCESS) &&
	       driver_messages_flow(s->row, &s->cmd) && !judge_lacks_depfile(b->start, b->r);
}

/* Counts each name. One that lies in a longer one is that longer one, as where names are
 * exchanged. */
static void count_names(struct bind *b, const struct buf *text, size_t counts[NAMES_MOST])
{
	struct patch_name names[NAMES_MOST];
	struct patch_list found;

	names_flat(b->c->name, b->c->name_count, names);
	patch_find(&found, text->data, text->len, names, b->c->name_count, &b->start->arena);
	if (found.overflow)
		bind_names(b, ~0ull, "the messages hold the name too often");
	for (size_t k = 0; k < found.count; k++)
		if (index_of(b, &found.v[k]) < NAMES_MOST)
			counts[index_of(b, &found.v[k])]++;
}

/* A chunk is one read of a pipe. A name that two chunks share is not exchanged. */
static void streams(struct bind *b)
{
	for (int stream = 1; stream <= 2; stream++) {
		struct buf text = BUF_INIT(&b->start->arena);
		size_t places[NAMES_MOST] = {0}, counts[NAMES_MOST] = {0};

		for (size_t i = 0; i < b->r->chunk_count; i++) {
			const struct result_chunk *chunk = &b->r->chunk[i];

			if (chunk->stream != stream)
				continue;
			buf_add(&text, chunk->data, chunk->len);
			for (size_t k = 0; k < chunk->patches.count; k++)
				if (index_of(b, &chunk->patches.v[k]) < NAMES_MOST)
					places[index_of(b, &chunk->patches.v[k])]++;
			if (chunk->patches.overflow)
				bind_names(b, ~0ull, "the messages hold the name too often");
		}
		b->says_code |= stream == 1 && text.len &&
		                !(b->start->cmd.flags & CMD_PREPROCESS) && !has_product(b);
		count_names(b, &text, counts);
		for (size_t i = 0; i < b->c->name_count && text.len; i++) {
			if (counts[i] && !flows(b, stream))
				b->stands |= 1ull << i;
			if (counts[i] != places[i] || text.failed)
				bind_names(b, 1ull << i,
				           "the messages came in pieces that cut the name");
		}
	}
}

/* gcc splits a string of 256 bytes and more in its assembly. */
static int may_be_cut(struct bind *b, size_t longest)
{
	for (size_t i = 0; i < b->r->out_count; i++)
		if (longest > STRING_WHOLE && is_assembly(b->start, &b->r->out[i]))
			return 1;
	return b->says_code;
}

/* Compilers treat each file alike whose name begins with the letters of these directories
 * (judge/alone.h). t: the texts of the run. */
static void bind_alike(struct bind *b, const struct texts *t)
{
	for (size_t k = 0; k < b->c->name_count; k++) {
		if (!is_mapped(b, k) && !is_directory(b, k))
			continue;
		if (judge_pwd(b->start)[0])
			bind_names(b, 1ull << k,
			           "PWD spells the directory otherwise: cd to its real path");
		if (t->renames || t->precompiled)
			bind_names(b, 1ull << k,
			           "a #line or a precompiled header holds file names");
		if (!judge_alone(b->start, b->c, name_at(b, k)->index))
			bind_names(b, 1ull << k,
			           "paths of other files begin with the same letters");
	}
}

/* 1: an output holds one of these names, so a text took it. Where REPRISE_SLOPPY accepts any
 * directory in debug information, outputs hold the names whatever the texts say. */
static int product_holds(const struct bind *b, uint64_t names)
{
	if (b->start->cmd.flags & CMD_DEBUG_ANYWHERE)
		return 0;
	for (size_t i = 0; i < b->r->out_count; i++) {
		const struct result_output *o = &b->r->out[i];

		if (judge_is_depfile(b->start, o, o->data))
			continue;
		for (size_t k = 0; k < o->patches.count; k++) {
			size_t which = index_of(b, &o->patches.v[k]);

			if (which < NAMES_MOST && names >> which & 1)
				return 1;
		}
	}
	return 0;
}

/* The texts may ask for these names. */
static void bind_asked(struct bind *b, const struct texts *t, uint64_t names)
{
	if (!b->start->shown && !product_holds(b, names) &&
	    expanded_may_show(b->start, t, names))
		b->asked = names;
	else
		bind_names(b, names, "the source may use its own name, as by __FILE__");
}

/* Asks the run's texts about the names with REACH_ASKED: they reach the result only if a text asks
 * for them. */
static void ask_texts(struct bind *b)
{
	struct texts t;
	uint64_t asked = 0;
	int rc;

	for (size_t i = 0; i < b->c->name_count; i++)
		if (b->reach[i] & REACH_ASKED)
			asked |= 1ull << i;
	rc = texts_read(&t, b->start, b->c, asked & ~b->bound, judge_above(b->start, b->c));
	if (rc < 0 || (b->start->cmd.flags & CMD_LINK && t.script)) {
		bind_names(b, ~0ull, rc < 0 ? "a text could not be read again"
		                            : "a linker script depends on names of files");
	} else {
		enum asks_answer answer =
			asked & ~b->bound ? facts_answer(b->start, &t.asks) : ASKS_NOT;

		/* A link orders strings again. */
		b->tells = answer == ASKS_TELLS && !(b->start->cmd.flags & CMD_LINK) &&
		           !may_be_cut(b, t.longest);
		if (answer != ASKS_NOT && !b->tells)
			bind_asked(b, &t, asked & ~b->bound);
		bind_names(b, t.spelled, "a source or header spells the name");
		if (t.computes)
			bind_names(b, t.pieces, "a macro may put the name together");
		bind_names(b, t.above & (t.parts | judge_above_arguments(b->start)),
		           "a path below the directory may have been formed from one above it");
		bind_alike(b, &t);
	}
	texts_free(&t);
}

/* 1: the bindings of all names follow from a proof other than the driver's table. */
static int shown_else(struct bind *b, enum name_binding *all)
{
	struct start *s = b->start;

	*all = s->verdict.names_shown == NAMES_SHOWN_LENGTH ? NAME_LENGTH : NAME_FREE;
	if (s->verdict.names_shown != NAMES_SHOWN_NOT)
		return 1;
	return driver_names_free(s->row, &s->cmd, s->all_names.v, s->all_names.count) ||
	       judge_names_proven(s, b->c, b->r);
}

static void set_all(struct candidate *c, enum name_binding binding)
{
	for (size_t i = 0; i < c->name_count; i++)
		c->name[i].binding = c->name[i].kind == NAME_KIND_OWN ? NAME_LENGTH : binding;
}

static int overflows(const struct result *r)
{
	for (size_t i = 0; i < r->out_count; i++)
		if (r->out[i].patches.overflow)
			return 1;
	return 0;
}

static int any_word(const char *words)
{
	return words[0] != '\0';
}

/* 1: a variable, a file or a script adds options that the driver has not classified. */
static int adds_options(const struct start *s, const struct candidate *c)
{
	const char *edits = invocation_env(&s->call, DRIVER_EDITOR);

	for (size_t i = 0; i < c->count; i++)
		if ((input_is_content(c->v[i].kind) && specs_is_config(c->v[i].spec)) ||
		    (c->v[i].kind == INPUT_VARIABLES &&
		     strcmp(c->v[i].spec, VARIABLES_NONE) == 0))
			return 1;
	return (edits && *edits) || start_variables_say(s, any_word);
}

/* Names in debug information whose order can be computed. */
static void bind_lines(struct bind *b)
{
	int ordered = 0;

	for (size_t i = 0; i < b->c->name_count; i++) {
		if (!(b->reach[i] & REACH_LINES) || b->bound >> i & 1)
			continue;
		if (!is_directory(b, i))
			ordered = 1;
		else if (b->reach[i] & ~(unsigned)REACH_LINES ||
		         !judge_directory_moves(b->start, b->c, b->r))
			bind_names(b, 1ull << i, "this form of debug information is not known");
	}
	if (ordered && judge_order(b->start, b->c, b->r) < 0)
		bind_where(b, REACH_LINES,
		           "the strings of debug information have an unknown order");
}

/* Names in the objects of a link, and the order of strings there. */
static void reach_of_objects(struct bind *b)
{
	int known = b->start->text && judge_object_link(b->start, b->c, b->r);

	for (size_t i = 0; i < b->c->name_count && known; i++)
		if (name_at(b, i)->kind == NAME_KIND_TEXT &&
		    (!judge_object_order(b->start, name_at(b, i)->kind, name_at(b, i)->index) ||
		     judge_object_lines(b->start, b->r)))
			b->reach[i] = REACH_DEBUG;
}

static void bind_found(struct start *s, struct candidate *c, struct result *r)
{
	struct bind b = {.start = s, .c = c, .r = r};
	enum name_binding all;

	set_all(c, NAME_BOUND);
	if (!c->name_count || s->verdict.names_exact || overflows(r))
		return;
	if (shown_else(&b, &all)) {
		set_all(c, all);
		return;
	}
	if (c->name_count > NAMES_MOST || adds_options(s, c))
		return;
	judge_bind_roles(s, c, b.reach);
	reach_of_objects(&b);
	bind_where(&b, REACH_ANYTHING,
	           "an option or the kind of file lets the name reach the result");
	streams(&b);
	if (b.says_code)
		bind_where(&b, REACH_LINES | REACH_TABLE | REACH_DEBUG,
		           "the compiled output is on standard output");
	/* A link hands no name on unchanged, so its outputs answer without the texts. */
	if (s->cmd.flags & CMD_LINK)
		outputs(&b);
	for (size_t i = 0; i < c->name_count; i++)
		if (!(b.bound >> i & 1) && c->name[i].kind != NAME_KIND_OWN) {
			ask_texts(&b);
			break;
		}
	if (!(s->cmd.flags & CMD_LINK))
		outputs(&b);
	bind_lines(&b);
	for (size_t i = 0; i < c->name_count; i++)
		if (c->name[i].kind == NAME_KIND_OWN ||
		    (c->name[i].kind == NAME_KIND_HASH && !(b.bound >> i & 1)))
			c->name[i].binding = NAME_LENGTH;
		else if (!(b.bound >> i & 1))
			c->name[i].binding =
				!is_directory(&b, i) &&
				(b.stands >> i & 1 || b.reach[i] & REACH_LENGTH)
				? NAME_LENGTH : NAME_FREE;
	for (size_t i = 0; i < c->name_count; i++)
		if (b.asked & ~b.bound & 1ull << i && c->name[i].kind != NAME_KIND_OWN)
			c->name[i].binding = c->name[i].binding == NAME_FREE ? NAME_ASKED
			                                                     : NAME_ASKED_LENGTH;
	if (b.why)
		log_write(LOG_INFO, "the result serves only the recorded name: %s", b.why);
}

void judge_bind(struct start *s, struct candidate *c, struct result *r)
{
	bind_found(s, c, r);
	judge_bind_files(s, c, r, adds_options(s, c));
}
