/* judge/text/expanded.c - the preprocessor's answer to what the texts leave open. */
#include "judge/text/text.h"

#include <string.h>

#include "judge/input/input.h"
#include "judge/name/name.h"
#include "shim/buf.h"
#include "shim/log.h"
#include "tools/asks/asks.h"
#include "tools/asks/preprocessed.h"

#include "shim/banned.h"

/* A shorter name may stand anywhere. */
#define NAME_LEAST 2
/* The detail of a start that it does not serve. */
#define ASKS "the source may use its own name, as by __FILE__"

/* 1: a compiler spells the name in a string as it is. */
static int is_spelled_plainly(const struct patch_name *name)
{
	for (size_t i = 0; i < name->len; i++)
		if (name->text[i] <= ' ' || name->text[i] > '~' || name->text[i] == '"' ||
		    name->text[i] == '\\')
			return 0;
	return name->len >= NAME_LEAST;
}

static int are_found(const struct name_list *all, const struct texts *t, uint64_t names)
{
	const char *base = (const char *)t->files.data;

	if (t->files.failed || !t->files.len)
		return 0;
	for (const char *end = base + t->files.len; base < end; base += strlen(base) + 1)
		if (!expanded_finds(base))
			return 0;
	for (size_t i = 0; i < all->count && i < NAMES_MOST; i++)
		if (names >> i & 1 && !is_spelled_plainly(&all->v[i]))
			return 0;
	return 1;
}

/* 1: what the run read, or found absent, is as it was, so the preprocessor saw the same unit. */
static int is_as_it_was(struct start *s, const struct candidate *c)
{
	int holds = 1;

	start_prober(s);
	for (size_t i = 0; i < s->primaries.count && holds; i++) {
		const struct primary *p = &s->primaries.v[i];

		holds = changed_same_stamp(AT_FDCWD, p->path, &p->st);
	}
	for (size_t i = 0; i < c->count && holds; i++)
		holds = judge_input_holds(s, &c->v[i]);
	return holds;
}

/* 1: shown for these names of the start. */
static int is_shown(struct start *s, const struct candidate *c, struct texts *t,
                    uint64_t names)
{
	struct buf files = BUF_INIT(&s->arena), text = {0};

	if (!expanded_may_show(s, t, names) || texts_load(t) < 0 || asks_computes(&t->asks))
		return 0;
	buf_add(&files, t->files.data, t->files.len);
	buf_u8(&files, 0);
	if (files.failed || s->preprocessor.expand(s, &text) < 0 ||
	    !expanded_begins((const char *)text.data, text.len, &s->cmd) || !is_as_it_was(s, c))
		return 0;
	for (size_t i = 0; i < s->all_names.count && i < NAMES_MOST; i++)
		if (names >> i & 1 &&
		    expanded_holds((const char *)text.data, text.len, s->all_names.v[i].text,
		                   s->all_names.v[i].len))
			return 0;
	return expanded_is_silent((const char *)text.data, text.len, (const char *)files.data);
}

/* The names of the start (bits) that c's texts may ask for; opened: those that are open.
 * *differ: one of them is not c's. 0 if a name is beyond the bits. */
static uint64_t asked_names(const struct name_list *all, const struct candidate *c, int opened,
                            int *differ)
{
	uint64_t names = 0;

	*differ = 0;
	for (size_t i = 0; i < c->name_count; i++) {
		const struct bound_name *was = &c->name[i];
		const struct patch_name *is;

		if (name_shown(was->binding) == NAME_NONE || name_is_open(was->binding) != opened)
			continue;
		is = name_list_find(all, was->kind, was->index);
		if (!is || is - all->v >= NAMES_MOST) {
			*differ = 1;
			return 0;
		}
		names |= 1ull << (is - all->v);
		*differ |= is->len != was->len || memcmp(is->text, was->text, is->len) != 0;
	}
	return names;
}

/* An output holds one of the names that are open. */
static int is_told(const struct candidate *c)
{
	for (size_t i = 0; i < c->name_count; i++)
		if (c->name[i].binding == NAME_TOLD || c->name[i].binding == NAME_TOLD_LENGTH)
			return 1;
	return 0;
}

/* --- public, in header order --- */

int expanded_may_show(const struct start *s, struct texts *t, uint64_t names)
{
	return proof_on(&s->set, PROOF_EXPANDED) && s->preprocessor.expand && !s->call.nested &&
	       !t->precompiled && !t->renames && are_found(&s->all_names, t, names);
}

enum reason open_lets(struct start *s, struct candidate *c)
{
	int differ, silent;
	uint64_t names = asked_names(&s->all_names, c, 1, &differ);
	struct texts t;

	if (!differ)
		return REASON_NONE;
	start_detail(s, ASKS);
	if (!names)
		return REASON_MISS_NAMES;
	silent = texts_read(&t, s, c, names, judge_above(s, c)) == 0 &&
	         facts_answer(s, &t.asks, &t) == (is_told(c) ? ASKS_TELLS : ASKS_NOT);
	texts_free(&t);
	if (!is_as_it_was(s, c))
		return REASON_MISS_NAMES;
	s->proofs.learned = 1;
	for (size_t i = 0; i < c->name_count; i++)
		if (name_is_open(c->name[i].binding))
			c->name[i].binding = silent ? name_shown(c->name[i].binding) : NAME_BOUND;
	if (!silent)
		return REASON_MISS_NAMES;
	start_detail(s, "%s", "");
	return REASON_NONE;
}

enum reason expanded_lets(struct start *s, struct candidate *c)
{
	struct preprocessor *p = &s->preprocessor;
	int differ;
	uint64_t names = asked_names(&s->all_names, c, 0, &differ);
	struct texts t;

	/* The preprocessor is not asked in vain: the candidate does not serve. */
	if (differ && !proof_on(&s->set, PROOF_EXPANDED))
		proof_rests(&s->proofs, PROOF_EXPANDED);
	if (!differ || !proof_on(&s->set, PROOF_EXPANDED))
		return REASON_NONE;
	start_detail(s, ASKS);
	if (!names || !p->expand || (p->shown && p->names != names))
		return REASON_MISS_NAMES;
	if (!p->shown) {
		p->names = names;
		p->shown = texts_read(&t, s, c, names, judge_above(s, c)) == 0 &&
		           is_shown(s, c, &t, names) ? 1 : -1;
		texts_free(&t);
		log_write(LOG_INFO, "the preprocessor %s that the source asks for no name",
		          p->shown > 0 ? "showed" : "could not show");
	}
	s->proofs.learned = 1;
	for (size_t i = 0; i < c->name_count; i++)
		if (name_shown(c->name[i].binding) != NAME_NONE)
			c->name[i].binding = p->shown > 0 ? name_shown(c->name[i].binding)
			                                  : NAME_BOUND;
	if (p->shown > 0)
		return REASON_NONE;
	start_detail(s, ASKS);
	return REASON_MISS_NAMES;
}
