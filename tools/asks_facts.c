/* tools/asks_facts.c - facts of headers: the words by which a unit could be led to its name.
 *
 *   u8     USABLE, or NOT: the headers ask whatever the unit is
 *   u32    count, then so many of: u8 kind (TELLING, LEADING), lstr word
 *
 * A LEADING word in a unit's own text could lead to the unit's name. It is a macro that takes the
 * name, a function that passes the name on, or a word that some #ifdef of a header looks for. A
 * TELLING word passes the name, unchanged, to a function that is only declared.
 *
 * A unit's own texts can make it ask more, never less. They add nothing if three things hold. None
 * of their macros holds a word. The headers look for none of their macros' names. They hold no
 * LEADING word. Then the answer is ASKS_TELLS if they hold a TELLING word, else ASKS_NOT. */
#include "tools/asks_facts.h"

#include <string.h>

#include "shim/buf.h"
#include "tools/asks_parts.h"
#include "tools/asks_tells.h"
#include "tools/asks_words.h"
#include "tools/list.h"

#include "shim/banned.h"

enum { NOT, USABLE };
enum { TELLING = 1, LEADING = 2 };
#define WORD_LEAST 6 /* bytes of a word's record: kind, length, NUL */

static int kind_of(const struct asks_macro *m, int tells)
{
	if (m->tested || m->flags & (TAKES | CALLS | PASTES | BASES) ||
	    (m->flags & TELLS && !tells))
		return LEADING;
	return m->flags & TELLS ? TELLING : 0;
}

int asks_header(const struct asks *x, unsigned i, const char **text, size_t *n)
{
	const struct asks_text *t = ASKS_AT(x->texts, asks_text, i);

	if (i >= ASKS_COUNT(x->texts, asks_text))
		return -1;
	*text = t->s;
	*n = (size_t)(t->end - t->s);
	return !t->own;
}

int asks_has_given(const struct asks *x)
{
	int given = 0;

	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++)
		given |= ASKS_AT(x->texts, asks_text, i)->given;
	return given;
}

/* Makes `part` of either x's own texts or x's headers. */
static void part_of(struct asks *part, const struct asks *x, int own)
{
	const char *text;
	size_t n;
	int header;

	asks_init(part, x->arena, x->words);
	part->texts.failed = x->texts.failed;
	for (unsigned i = 0; (header = asks_header(x, i, &text, &n)) >= 0; i++)
		if (header != own)
			buf_add(&part->texts, ASKS_AT(x->texts, asks_text, i),
			        sizeof(struct asks_text));
}

int asks_facts(const struct asks *x, struct buf *facts)
{
	struct asks headers;
	struct buf words = BUF_INIT(x->arena);
	unsigned count = 0;
	int usable, tells;

	part_of(&headers, x, 0);
	usable = !asks_learn(&headers);
	tells = usable && !asks_tell_defined(&headers);
	for (unsigned i = 0; i < ASKS_COUNT(headers.macros, asks_macro) && usable; i++) {
		const struct asks_macro *m = ASKS_AT(headers.macros, asks_macro, i);

		if (!kind_of(m, tells))
			continue;
		buf_u8(&words, (unsigned)kind_of(m, tells));
		buf_lstr(&words, m->name, m->len);
		count++;
	}
	buf_u8(facts, usable ? USABLE : NOT);
	buf_u32(facts, count);
	buf_add(facts, words.data, words.len);
	return facts->failed || words.failed || headers.texts.failed ? -1 : 0;
}

/* Reads the facts into the flags of known's words. -1: the facts say nothing. */
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

/* No macro of these texts has a flag or holds a word, and no #include is computed. Text that an
 * #ifdef leaves out counts, since a header may define the name that the #ifdef looks for. */
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
	return !own->uses.len && !own->lines.len && !own->unclear && !own->macros.failed &&
	       !own->uses.failed && !own->bodies.failed && !own->lines.failed;
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

static int make_table(struct asks *x)
{
	x->buckets = arena_alloc(x->arena, ASKS_BUCKETS * sizeof *x->buckets);
	return x->buckets ? 0 : -1;
}

int asks_by_facts(const struct asks *x, const void *facts, size_t n)
{
	struct asks own, known;
	int answer = ASKS_NOT;

	part_of(&own, x, 1);
	asks_init(&known, x->arena, x->words);
	if (own.texts.failed || make_table(&own) < 0 || make_table(&known) < 0 ||
	    read_facts(&known, facts, n) < 0 || !is_simple(&own))
		return ASKS_UNKNOWN;
	for (unsigned i = 0; i < ASKS_COUNT(own.texts, asks_text); i++) {
		int one = text_asks(x, &known, ASKS_AT(own.texts, asks_text, i));

		if (one == ASKS_UNKNOWN)
			return one;
		answer = one > answer ? one : answer;
	}
	return answer;
}
