/* judge/name/bind.c - decides from a command, its texts and its outputs which names the result is
 * bound to.
 *
 * A name is free unless something is found. The driver says what each place of the name in the
 * command can reach (REACH_ bits, tools/driver.h). What is asked next depends on these: the texts
 * of the run, where a text could take the name; the outputs and streams, each of which must hold
 * the name at known places only. Each answer is a fact about some names, and rules[] gives the
 * binding that follows from the facts of a name. */
#include "judge/name/name.h"

#include <string.h>

#include "judge/input/input.h"
#include "judge/object/directory.h"
#include "judge/object/object_names.h"
#include "judge/object/order.h"
#include "judge/output/output.h"
#include "judge/proof_verbs.h"
#include "judge/start.h"
#include "judge/text/text.h"
#include "shim/buf.h"
#include "shim/log.h"
#include "tools/driver.h"
#include "tools/object/sections.h"

#include "shim/banned.h"

#define ALL_NAMES (~0ull)
#define STRING_WHOLE 200 /* gcc writes a name of so many bytes into assembly in one piece */

/* What is found about a name. */
enum found {
	/* Each of these binds; rules[] says why. */
	FOUND_ANYTHING = 1 << 0, FOUND_OFTEN = 1 << 1, FOUND_CUT = 1 << 2, FOUND_PRINTED = 1 << 3,
	FOUND_PACKED = 1 << 4, FOUND_ELSEWHERE = 1 << 5, FOUND_NO_TEXT = 1 << 6,
	FOUND_SCRIPT = 1 << 7, FOUND_TAKEN = 1 << 8, FOUND_SPELLED = 1 << 9,
	FOUND_PIECES = 1 << 10, FOUND_ABOVE = 1 << 11, FOUND_PWD = 1 << 12,
	FOUND_RENAMES = 1 << 13, FOUND_BESIDE = 1 << 14, FOUND_FORM = 1 << 15,
	FOUND_ORDER = 1 << 16, FOUND_BINDS = FOUND_ORDER * 2 - 1,
	/* A text may take the name, and the preprocessor may show that none does. */
	FOUND_ASKED = 1 << 17,
	/* It is exchanged where it stands, or its length decides how a path is spelled. */
	FOUND_LENGTH = 1 << 18,
	/* Whether a text takes the name is found out when a start has another name. */
	FOUND_OPEN = 1 << 19,
	/* The same, and an output holds the name where a text can have put it. */
	FOUND_TOLD = 1 << 20
};

/* The binding that follows: of the first row whose facts were all found. */
static const struct rule {
	unsigned found;
	unsigned char binding;
	char why[76]; /* in the struct: a pointer would be relocated in every process */
} rules[] = {
	{FOUND_ANYTHING, NAME_BOUND,
	 "an option or the kind of file lets the name reach the result"},
	{FOUND_OFTEN, NAME_BOUND, "the messages hold the name too often"},
	{FOUND_CUT, NAME_BOUND, "the messages came in pieces that cut the name"},
	{FOUND_PRINTED, NAME_BOUND, "the compiled output is on standard output"},
	{FOUND_PACKED, NAME_BOUND, "compressed parts of an output may hold the name"},
	{FOUND_ELSEWHERE, NAME_BOUND, "an output holds the name at an unknown place"},
	{FOUND_NO_TEXT, NAME_BOUND, "a text could not be read again"},
	{FOUND_SCRIPT, NAME_BOUND, "a linker script depends on names of files"},
	{FOUND_TAKEN, NAME_BOUND, "the source may use its own name, as by __FILE__"},
	{FOUND_SPELLED, NAME_BOUND, "a source or header spells the name"},
	{FOUND_PIECES, NAME_BOUND, "a macro may put the name together"},
	{FOUND_ABOVE, NAME_BOUND,
	 "a path below the directory may have been formed from one above it"},
	{FOUND_PWD, NAME_BOUND, "PWD spells the directory otherwise: cd to its real path"},
	{FOUND_RENAMES, NAME_BOUND, "a #line or a precompiled header holds file names"},
	{FOUND_BESIDE, NAME_BOUND, "paths of other files begin with the same letters"},
	{FOUND_FORM, NAME_BOUND, "this form of debug information is not known"},
	{FOUND_ORDER, NAME_BOUND, "the strings of debug information have an unknown order"},
	{FOUND_ASKED | FOUND_LENGTH, NAME_ASKED_LENGTH, ""},
	{FOUND_ASKED, NAME_ASKED, ""},
	{FOUND_TOLD | FOUND_LENGTH, NAME_TOLD_LENGTH, ""},
	{FOUND_TOLD, NAME_TOLD, ""},
	{FOUND_OPEN | FOUND_LENGTH, NAME_OPEN_LENGTH, ""},
	{FOUND_OPEN, NAME_OPEN, ""},
	{FOUND_LENGTH, NAME_LENGTH, ""},
	{0, NAME_FREE, ""},
};

struct bind {
	struct start *start;
	struct candidate *c;
	struct result *r;
	unsigned reach[NAMES_MOST]; /* REACH_ bits of each name */
	unsigned found[NAMES_MOST]; /* FOUND_ bits of each name */
	unsigned first;             /* the first fact that bound a name */
	/* functions that are only declared receive the source's name, or that is left open */
	int tells;
	int says_code;              /* standard output holds the compiled code */
};

static const struct rule *rule_of(unsigned found)
{
	const struct rule *rule = rules;

	while ((found & rule->found) != rule->found)
		rule++;
	return rule;
}

static void find_at(struct bind *b, size_t i, enum found fact)
{
	b->found[i] |= fact;
	if (!b->first && fact & FOUND_BINDS)
		b->first = fact;
}

/* names, bit i: name i. */
static void find(struct bind *b, uint64_t names, enum found fact)
{
	for (size_t i = 0; i < b->c->name_count; i++)
		if (names >> i & 1)
			find_at(b, i, fact);
}

/* The names that are not bound so far and reach one of these. */
static uint64_t unbound(const struct bind *b, unsigned reach)
{
	uint64_t names = 0;

	for (size_t i = 0; i < b->c->name_count; i++)
		if (b->reach[i] & reach && !(b->found[i] & FOUND_BINDS))
			names |= 1ull << i;
	return names;
}

static int is_kind(const struct bind *b, size_t i, enum name_kind kind)
{
	return b->c->name[i].kind == kind;
}

/* A result of another directory is written anew, at any length. */
static void find_length(struct bind *b, size_t i)
{
	if (!is_kind(b, i, NAME_KIND_DIRECTORY))
		find_at(b, i, FOUND_LENGTH);
}

static size_t index_of(const struct bind *b, const struct patch *p)
{
	for (size_t i = 0; i < b->c->name_count; i++)
		if (is_kind(b, i, p->kind) && b->c->name[i].index == p->index)
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

static void outputs(struct bind *b)
{
	for (size_t i = 0; i < b->r->out_count; i++) {
		struct result_output *o = &b->r->out[i];
		int moves = breaks_move(b, o);

		if (b->start->cmd.flags & CMD_DEBUG_ANYWHERE)
			name_places_leave_debug(o);
		if (sections_hide_names(o->data, o->len))
			find(b, ALL_NAMES, FOUND_PACKED);
		for (size_t k = 0; k < o->patches.count; k++) {
			size_t which = index_of(b, &o->patches.v[k]);

			if (which == NAMES_MOST || b->found[which] & FOUND_BINDS ||
			    is_kind(b, which, NAME_KIND_OWN))
				continue;
			if (!moves)
				find_length(b, which);
			if (!name_place_known(b->start, o, o->patches.v[k].offset,
			                      b->c->name[which].kind,
			                      b->reach[which] &
			                              ~(b->tells ? 0u : REACH_ASKED)))
				find_at(b, which, FOUND_ELSEWHERE);
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

static void count_names(struct bind *b, const struct patch_list *found, size_t counts[NAMES_MOST])
{
	if (found->overflow)
		find(b, ALL_NAMES, FOUND_OFTEN);
	for (size_t k = 0; k < found->count; k++)
		if (index_of(b, &found->v[k]) < NAMES_MOST)
			counts[index_of(b, &found->v[k])]++;
}

/* A chunk is one read of a pipe. A name that two chunks share is not exchanged. A name that lies in
 * a longer one is that longer one, as where names are exchanged. */
static void streams(struct bind *b)
{
	struct patch_name names[NAMES_MOST];
	struct patch_list found;

	names_flat(b->c->name, b->c->name_count, names);
	for (int stream = 1; stream <= 2; stream++) {
		struct buf text = BUF_INIT(&b->start->arena);
		size_t places[NAMES_MOST] = {0}, counts[NAMES_MOST] = {0};

		for (size_t i = 0; i < b->r->chunk_count; i++) {
			if (b->r->chunk[i].stream != stream)
				continue;
			buf_add(&text, b->r->chunk[i].data, b->r->chunk[i].len);
			count_names(b, &b->r->chunk[i].patches, places);
		}
		b->says_code |= stream == 1 && text.len &&
		                !(b->start->cmd.flags & CMD_PREPROCESS) && !has_product(b);
		patch_find(&found, text.data, text.len, names, b->c->name_count, &b->start->arena);
		count_names(b, &found, counts);
		for (size_t i = 0; i < b->c->name_count && text.len; i++) {
			if (counts[i] && !flows(b, stream))
				find_length(b, i);
			if (counts[i] != places[i] || text.failed)
				find_at(b, i, FOUND_CUT);
		}
	}
}

/* gcc splits a string of 256 bytes and more in its assembly. */
static int may_be_cut(struct bind *b, size_t longest)
{
	for (size_t i = 0; i < b->r->out_count; i++)
		if (longest > STRING_WHOLE && name_place_is_assembly(b->start, &b->r->out[i]))
			return 1;
	return b->says_code;
}

/* Compilers treat each file alike whose name begins with the letters of these directories
 * (judge/name/above.c). t: the texts of the run. */
static void bind_alike(struct bind *b, const struct texts *t)
{
	for (size_t k = 0; k < b->c->name_count; k++) {
		if (!name_is_mapped(b->c->name[k].kind) && !is_kind(b, k, NAME_KIND_DIRECTORY))
			continue;
		if (judge_pwd(b->start)[0])
			find_at(b, k, FOUND_PWD);
		if (t->renames || t->precompiled)
			find_at(b, k, FOUND_RENAMES);
		if (!judge_alone(&b->start->names, &b->start->arena, b->c, b->c->name[k].kind))
			find_at(b, k, FOUND_BESIDE);
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

/* 1: an output holds one of these names where only a text can have put it. */
static int texts_show(const struct bind *b, uint64_t names)
{
	for (size_t i = 0; i < b->r->out_count; i++) {
		const struct result_output *o = &b->r->out[i];

		for (size_t k = 0; k < o->patches.count; k++) {
			size_t which = index_of(b, &o->patches.v[k]);

			if (which < NAMES_MOST && names >> which & 1 &&
			    !name_place_known(b->start, o, o->patches.v[k].offset,
			                      b->c->name[which].kind,
			                      b->reach[which] & ~(unsigned)REACH_ASKED))
				return 1;
		}
	}
	return 0;
}

/* Asks the run's texts about the names with REACH_ASKED: they reach the result only if a text asks
 * for them. To search many headers takes longer than a small compile. So that is left to the first
 * start with another name, but where an output shows such a name and no answer could free it. */
static void ask_texts(struct bind *b)
{
	struct start *s = b->start;
	uint64_t asked = unbound(b, REACH_ASKED);
	struct texts t;
	int answer, shown, may_tell, told;
	int rc = texts_read(&t, s, b->c, asked, judge_above(s, b->c));

	if (rc < 0 || (s->cmd.flags & CMD_LINK && t.script)) {
		find(b, ALL_NAMES, rc < 0 ? FOUND_NO_TEXT : FOUND_SCRIPT);
		texts_free(&t);
		return;
	}
	/* A text asks for its own path: a generated name in no such path is not given. */
	asked &= t.named | ~name_list_components(&s->all_names);
	shown = texts_show(b, asked);
	/* A link orders strings again. */
	may_tell = !(s->cmd.flags & CMD_LINK) && !may_be_cut(b, t.longest);
	/* What REPRISE_SLOPPY accepts in debug information need be no text's. */
	told = shown && may_tell && !(s->cmd.flags & CMD_DEBUG_ANYWHERE);
	answer = !asked          ? ASKS_NOT
	         : shown && !told ? (int)facts_answer(s, &t.asks, &t)
	                          : facts_ready(s, &t);
	b->tells = may_tell && (answer == ASKS_TELLS || (answer < 0 && told));
	if (answer < 0)
		find(b, asked, told ? FOUND_TOLD : FOUND_OPEN);
	else if (answer != ASKS_NOT && !b->tells)
		find(b, asked, !s->preprocessor.shown && !product_holds(b, asked) &&
		               expanded_may_show(s, &t, asked) ? FOUND_ASKED : FOUND_TAKEN);
	find(b, t.spelled, FOUND_SPELLED);
	if (t.computes)
		find(b, t.pieces, FOUND_PIECES);
	find(b, t.above & (t.parts | judge_above_arguments(s)), FOUND_ABOVE);
	bind_alike(b, &t);
	texts_free(&t);
}

/* Each of these proofs (bits) is needed for name i to be free. It binds if one is off. */
static void free_by(struct bind *b, size_t i, unsigned proofs)
{
	struct bound_name *name = &b->c->name[i];

	if (name->kind == NAME_KIND_OWN || name->binding == NAME_BOUND)
		return;
	if (proofs & setting_number(&b->start->set, SETTING_PROOFS)) {
		name->binding = NAME_BOUND;
		return;
	}
	for (int p = 0; p < PROOF_COUNT; p++)
		if (proofs >> p & 1)
			proof_frees(&b->start->proofs, (enum proof)p, i);
}

/* The proofs without which name i is not free. placed: its places in the command decide. */
static unsigned proofs_of(const struct bind *b, size_t i, int placed)
{
	const struct start *s = b->start;
	unsigned kind = b->c->name[i].kind, reach = b->reach[i], proofs = 0;
	int asked = b->found[i] & FOUND_ASKED;

#define FREES(id, when) \
	if (when) \
		proofs |= 1u << PROOF_##id;
#include "proofs/proofs.def"
	return proofs;
}

/* Names in debug information whose order can be computed. */
static void find_lines(struct bind *b)
{
	uint64_t lines = unbound(b, REACH_LINES);
	int ordered = 0;

	for (size_t i = 0; i < b->c->name_count; i++) {
		if (!(lines >> i & 1))
			continue;
		if (!is_kind(b, i, NAME_KIND_DIRECTORY))
			ordered = 1;
		else if (b->reach[i] & ~(unsigned)REACH_LINES ||
		         !judge_directory_moves(b->start, b->c, b->r))
			find_at(b, i, FOUND_FORM);
	}
	if (ordered && judge_order(b->start, b->c, b->r) < 0)
		find(b, unbound(b, REACH_LINES), FOUND_ORDER);
}

/* What the roles of the names in the command say. Names in the objects of a link have none, nor has
 * the order of strings there. */
static void find_roles(struct bind *b)
{
	struct start *s = b->start;
	int known;

	judge_bind_roles(s, b->c, b->reach);
	known = s->text && judge_object_link(s, b->c, b->r);
	for (size_t i = 0; i < b->c->name_count; i++) {
		const struct bound_name *name = &b->c->name[i];

		if (known && is_kind(b, i, NAME_KIND_TEXT) &&
		    (!judge_object_order(s->text, s->lines, name->kind, name->index) ||
		     judge_object_lines(s->lines, &s->arena, b->r)))
			b->reach[i] = REACH_DEBUG;
		if (b->reach[i] & REACH_LENGTH || is_kind(b, i, NAME_KIND_HASH))
			find_length(b, i);
	}
	find(b, unbound(b, REACH_ANYTHING), FOUND_ANYTHING);
}

static void find_all(struct bind *b)
{
	int link = b->start->cmd.flags & CMD_LINK, left = 0;

	find_roles(b);
	streams(b);
	if (b->says_code)
		find(b, unbound(b, REACH_LINES | REACH_TABLE | REACH_DEBUG), FOUND_PRINTED);
	/* A link hands no name on unchanged, so its outputs answer without the texts. */
	if (link)
		outputs(b);
	for (size_t i = 0; i < b->c->name_count; i++)
		left |= !(b->found[i] & FOUND_BINDS) && !is_kind(b, i, NAME_KIND_OWN);
	if (left)
		ask_texts(b);
	if (!link)
		outputs(b);
	find_lines(b);
}

void judge_bind(struct start *s, struct candidate *c, struct result *r)
{
	struct bind b = {.start = s, .c = c, .r = r};
	unsigned by = 0;
	enum name_binding all = judge_bind_all(s, c, r, &by);

	if (all == NAME_NONE)
		find_all(&b);
	for (size_t i = 0; i < c->name_count; i++) {
		c->name[i].binding = is_kind(&b, i, NAME_KIND_OWN)  ? NAME_LENGTH
		                     : all != NAME_NONE               ? all
		                                        : rule_of(b.found[i])->binding;
		free_by(&b, i, by | proofs_of(&b, i, all == NAME_NONE));
	}
	if (b.first)
		log_write(LOG_INFO, "the result serves only the recorded name: %s",
		          rule_of(b.first)->why);
	judge_bind_files(s, c, r, judge_adds_options(s, c));
}
