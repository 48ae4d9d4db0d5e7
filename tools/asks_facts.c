/* tools/asks_facts.c - what headers say together, as the words by which a unit could be led to its name.
 *
 *   u8     USABLE, or NOT: they ask whatever the unit is
 *   u32    count, then so many of: u8 kind (TELLING, LEADING), lstr word
 *
 * Whatever a unit's own texts add makes it ask more, never less: a macro has one more body, an #ifdef holds. A macro of
 * theirs without a word in its text adds nothing, unless the headers look whether it is there. So where they define
 * no other and hold no word that leads on, the answer is that of the headers, and TELLS if a word tells. */
#include <string.h>

#include "tools/asks_parts.h"
#include "tools/list.h"

#include "shim/banned.h"

enum { NOT, USABLE };
enum { TELLING = 1, LEADING = 2 };
#define WORD_LEAST 6 /* bytes of a word's record: kind, length, NUL */

static int kind_of(const struct asks_macro *m, int tells)
{
	if (m->tested || m->flags & (TAKES | CALLS | PASTES | BASES) || (m->flags & TELLS && !tells))
		return LEADING;
	return m->flags & TELLS ? TELLING : 0;
}

int asks_facts(struct asks *x, struct buf *facts)
{
	int usable = !asks_learn(x), tells = usable && !asks_tell_defined(x);
	struct buf words = BUF_INIT(x->arena);
	unsigned count = 0;

	for (unsigned i = 0; i < ASKS_COUNT(x->macros, asks_macro) && usable; i++) {
		const struct asks_macro *m = ASKS_AT(x->macros, asks_macro, i);

		if (!kind_of(m, tells))
			continue;
		buf_u8(&words, (unsigned)kind_of(m, tells));
		buf_lstr(&words, m->name, m->len);
		count++;
	}
	buf_u8(facts, usable ? USABLE : NOT);
	buf_u32(facts, count);
	buf_add(facts, words.data, words.len);
	return facts->failed || words.failed || x->texts.failed ? -1 : 0;
}

/* Into the flags of known's words. -1: they say nothing. */
static int read_facts(struct asks *known, const void *facts, size_t n)
{
	struct reader r = {facts, (const unsigned char *)facts + n, 0};
	unsigned usable = reader_u8(&r), count = reader_u32(&r);

	if (r.failed || usable != USABLE || count > n / WORD_LEAST)
		return -1;
	for (unsigned i = 0; i < count; i++) {
		unsigned kind = reader_u8(&r);
		size_t length = 0;
		const char *word = reader_lstr(&r, &length);
		struct asks_macro *m = word && length ? asks_macro(known, word, length, 1) : NULL;

		if (!m)
			return -1;
		m->flags = kind;
	}
	for (const char *name = asks_tellers; *name; name = LIST_NEXT(name)) {
		struct asks_macro *m = asks_macro(known, name, strlen(name), 1);

		if (!m)
			return -1;
		m->flags = LEADING;
	}
	return r.p == r.end ? 0 : -1;
}

/* No macro of theirs has a flag or a word, and no #include is computed. What an #ifdef leaves out counts, since a header may define its name. */
static int is_simple(struct asks *own)
{
	for (int names = 1; names >= 0; names--)
		for (unsigned i = 0; i < ASKS_COUNT(own->texts, asks_text); i++) {
			struct asks_text *t = ASKS_AT(own->texts, asks_text, i);

			if (asks_is_odd(own, t))
				return 0;
			asks_definitions(own, t, names);
		}
	for (unsigned i = 0; i < ASKS_COUNT(own->macros, asks_macro); i++)
		if (ASKS_AT(own->macros, asks_macro, i)->flags)
			return 0;
	return !own->uses.len && !own->lines.len && !own->unclear && !own->macros.failed && !own->uses.failed &&
	       !own->bodies.failed && !own->lines.failed;
}

static int text_asks(const struct asks *x, struct asks *known, const struct asks_text *t)
{
	int answer = ASKS_NOT;
	const char *s = t->s;

	for (size_t n; (n = asks_next_word(&s, t->end)) != 0; s += n) {
		const struct asks_macro *m = asks_macro(known, s, n, 0);

		if ((m && m->flags != TELLING) || asks_word_flags(x, s, n))
			return ASKS_UNKNOWN;
		if (m)
			answer = ASKS_TELLS;
	}
	return answer;
}

static int start(struct asks *x, const struct asks *like)
{
	asks_init(x, like->arena, like->words);
	x->buckets = arena_alloc(x->arena, ASKS_BUCKETS * sizeof *x->buckets);
	return x->buckets ? 0 : -1;
}

int asks_by_facts(const struct asks *x, const void *facts, size_t n)
{
	struct asks own, known;
	int answer = ASKS_NOT;

	if (x->texts.failed || start(&own, x) < 0 || start(&known, x) < 0 || read_facts(&known, facts, n) < 0)
		return ASKS_UNKNOWN;
	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++) {
		const struct asks_text *t = ASKS_AT(x->texts, asks_text, i);

		if (t->own)
			asks_add(&own, t->s, (size_t)(t->end - t->s), 1);
	}
	if (own.texts.failed || !is_simple(&own))
		return ASKS_UNKNOWN;
	for (unsigned i = 0; i < ASKS_COUNT(own.texts, asks_text); i++) {
		int one = text_asks(x, &known, ASKS_AT(own.texts, asks_text, i));

		if (one == ASKS_UNKNOWN)
			return one;
		answer = one > answer ? one : answer;
	}
	return answer;
}
