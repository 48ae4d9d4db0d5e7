/* tools/asks/facts.c - facts of headers: the words by which a unit could be led to its name.
 *
 *   u8     ASKING: the headers ask whatever the unit is; with asks.whole, also by words of their
 *          own. USABLE, or NUMBERED: the same holds if macros of the unit's own become numbers
 *   u32    count, then so many of: u8 kind, lstr word
 *
 * What a word in a unit's own text does:
 *
 *   NAMING   it takes the unit's name.
 *   LEADING  it could lead to the name: a function that passes the name on, or a macro that pastes.
 *   TELLING  it passes the name, unchanged, to a function that is only declared.
 *   BARE     a macro without parameters that pastes, but never a word that takes the name.
 *   CALLED   the same with parameters, as long as the arguments are numbers.
 *
 * TESTED, a bit beside the kind: some #ifdef of a header looks for the word, which matters if the
 * unit defines it.
 *
 * A unit's own texts can make it ask more, never less. So a NAMING word settles the answer, unless
 * it stands in a #define, or in a text with #if, which may leave it out. The own texts add nothing
 * if three things hold. Their macros hold no words but numbers. None of their macros is TESTED.
 * They hold no LEADING word, and BARE and CALLED words only as above. Then the answer is
 * ASKS_TELLS if they hold a TELLING word, else ASKS_NOT. */
#include "tools/asks/asks.h"

#include <string.h>

#include "shim/list.h"
#include "tools/asks/parts.h"
#include "tools/asks/words.h"

#include "shim/banned.h"

enum state { ASKING, USABLE, NUMBERED };
enum { TELLING = 1, LEADING, NAMING, BARE, CALLED, TESTED = 128 };
#define WORD_LEAST 6 /* bytes of a word's record: kind, length, NUL */

static int kind_of_pasting(struct asks *x, const struct asks_macro *m)
{
	int called = asks_takes_arguments(x, m);

	if (!x->numbers || (called && asks_stands_alone(x, m)) || !asks_pastes_nothing(x, m, TAKES))
		return LEADING;
	return called ? CALLED : BARE;
}

static int kind_of(struct asks *x, const struct asks_macro *m, int tells)
{
	if (m->flags & TAKES)
		return NAMING;
	if (m->flags & (CALLS | BASES) || (m->flags & TELLS && !tells) ||
	    (m->flags & OPENED && x->words & ASKS_NVRTC))
		return LEADING;
	if (m->flags & PASTES)
		return m->flags & TELLS ? LEADING : kind_of_pasting(x, m);
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

int asks_is_given(const struct asks *x, unsigned i)
{
	return ASKS_AT(x->texts, asks_text, i)->given;
}

/* Makes `part` of either x's own texts or x's headers. */
static void part_of(struct asks *part, const struct asks *x, int own)
{
	const char *text;
	size_t n;
	int header;

	asks_init(part, x->arena, x->words);
	part->texts.failed = x->texts.failed;
	part->sought = x->sought;
	part->whole = x->whole;
	for (unsigned i = 0; (header = asks_header(x, i, &text, &n)) >= 0; i++)
		if (header != own)
			buf_add(&part->texts, ASKS_AT(x->texts, asks_text, i),
			        sizeof(struct asks_text));
}

int asks_declare(struct asks *x)
{
	struct buf lines = BUF_INIT(x->arena);
	struct asks own;

	part_of(&own, x, 1);
	if (own.texts.failed || asks_clear_table(&own) < 0)
		return -1;
	for (unsigned i = 0; i < ASKS_COUNT(own.texts, asks_text); i++)
		asks_definitions(&own, ASKS_AT(own.texts, asks_text, i), 1);
	for (unsigned i = 0; i < ASKS_COUNT(own.macros, asks_macro); i++) {
		const struct asks_macro *m = ASKS_AT(own.macros, asks_macro, i);

		if (m->defined) {
			buf_str(&lines, "#define ");
			buf_add(&lines, m->name, m->len);
			buf_str(&lines, "\n");
		}
	}
	if (lines.failed || own.macros.failed)
		return -1;
	if (lines.len)
		asks_add(x, (const char *)lines.data, lines.len, 0);
	return x->texts.failed ? -1 : 0;
}

int asks_own_freely(const struct asks *x)
{
	struct asks own;

	part_of(&own, x, 1);
	return asks_answer(&own) == ASKS_FREELY;
}

/* What the headers of x say by themselves. */
static enum state learn_headers(struct asks *headers, const struct asks *x)
{
	for (int numbers = 1; numbers >= 0; numbers--) {
		part_of(headers, x, 0);
		headers->numbers = numbers;
		if (!asks_learn(headers) && (!x->whole || asks_words(headers) == ASKS_NOT))
			return numbers ? NUMBERED : USABLE;
	}
	return ASKING;
}

int asks_facts(const struct asks *x, struct buf *facts)
{
	struct asks headers;
	struct buf words = BUF_INIT(x->arena);
	enum state state = learn_headers(&headers, x);
	int tells = state != ASKING && !asks_tell_defined(&headers);
	unsigned count = 0;

	for (unsigned i = 0; i < ASKS_COUNT(headers.macros, asks_macro) && state != ASKING; i++) {
		const struct asks_macro *m = ASKS_AT(headers.macros, asks_macro, i);
		int kind = kind_of(&headers, m, tells) | (m->tested ? TESTED : 0);

		if (!kind)
			continue;
		buf_u8(&words, (unsigned)kind);
		buf_lstr(&words, m->name, m->len);
		count++;
	}
	buf_u8(facts, state);
	buf_u32(facts, count);
	buf_add(facts, words.data, words.len);
	return facts->failed || words.failed || headers.texts.failed ? -1 : 0;
}

/* Reads the facts into the flags of known's words. -1: they are no facts. */
static int read_facts(struct asks *known, const void *facts, size_t n)
{
	struct reader r = {facts, (const unsigned char *)facts + n, 0};
	unsigned state = reader_u8(&r), count = reader_u32(&r);

	if (r.failed || state > NUMBERED || count > n / WORD_LEAST)
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
	for (const char *name = asks_tellers; *name && !known->sought; name = LIST_NEXT(name)) {
		struct asks_macro *m = asks_macro(known, name, strlen(name), 1);

		if (!m)
			return -1;
		m->flags = LEADING;
	}
	known->numbers = state == NUMBERED;
	return r.p == r.end ? (int)state : -1;
}

static int is_number(const char *s, size_t n)
{
	return *s >= '0' && *s <= '9' && asks_is_own_value(s, n);
}

static unsigned kind_known(struct asks *known, const char *word, size_t n, unsigned bits)
{
	const struct asks_macro *m = asks_macro(known, word, n, 0);

	return m ? m->flags & bits : 0;
}

/* No macro of these texts has a flag or is TESTED, none holds a word that is no number, and no
 * #include is computed. Text that an #ifdef leaves out counts, since a header may define the name
 * that the #ifdef looks for. *parameters: some macro has parameters. */
static int is_simple(struct asks *own, struct asks *known, int *parameters)
{
	*parameters = 0;
	for (int names = 1; names >= 0; names--)
		for (unsigned i = 0; i < ASKS_COUNT(own->texts, asks_text); i++) {
			struct asks_text *t = ASKS_AT(own->texts, asks_text, i);

			if (asks_is_odd(own, t))
				return 0;
			asks_definitions(own, t, names);
			if (!names && own->words & ASKS_NVRTC && asks_spans(own, t))
				return 0;
		}
	for (unsigned i = 0; i < ASKS_COUNT(own->macros, asks_macro); i++) {
		const struct asks_macro *m = ASKS_AT(own->macros, asks_macro, i);

		if (m->flags || (m->used_by && !(known->numbers && is_number(m->name, m->len))) ||
		    ((m->defined || m->undone) && kind_known(known, m->name, m->len, TESTED)))
			return 0;
		*parameters |= asks_takes_arguments(own, m);
	}
	return !own->lines.len && !own->unclear && !own->macros.failed && !own->uses.failed &&
	       !own->bodies.failed && !own->lines.failed;
}

/* Whether these arguments, if any follow, are numbers, and no more arguments follow. */
static int has_numbers(const char *p, const char *end)
{
	int depth = 0;

	if (!asks_is_called(p, end))
		return 0;
	do {
		p = asks_skip_gap(p, end);
		if (p == end)
			return 0;
		if (*p == '(' || *p == ')') {
			depth += *p++ == '(' ? 1 : -1;
		} else if (asks_is_word(*p)) {
			size_t n = asks_next_word(&p, end);

			if (!is_number(p, n))
				return 0;
			p += n;
		} else if (*p++ != ',') {
			return 0;
		}
	} while (depth);
	return !asks_is_called(p, end);
}

static int has_conditions(const struct asks_text *t)
{
	for (const char *p = t->s; (p = memchr(p, '#', (size_t)(t->end - p))) != NULL;) {
		p = asks_skip_blanks(p + 1, t->end);
		if (t->end - p > 1 && p[0] == 'i' && p[1] == 'f')
			return 1;
	}
	return 0;
}

/* 1: the text takes the name, whatever else it holds. */
static int text_takes(struct asks *own, struct asks *known, struct asks_text *t)
{
	const char *s = t->s;

	if (has_conditions(t))
		return 0;
	asks_find_dead(own, t);
	for (size_t n; (n = asks_next_word(&s, t->end)) != 0; s += n) {
		if ((kind_known(known, s, n, ~(unsigned)TESTED) == NAMING ||
		     asks_word_flags(own, s, n) & TAKES) &&
		    !asks_is_dead(own, t, s, 1))
			return 1;
	}
	return 0;
}

static int text_adds(const struct asks *x, struct asks *known, const struct asks_text *t,
                     int parameters)
{
	int answer = ASKS_NOT;
	const char *s = t->s;

	for (size_t n; (n = asks_next_word(&s, t->end)) != 0; s += n) {
		unsigned kind = kind_known(known, s, n, ~(unsigned)TESTED);

		if (asks_word_flags(x, s, n))
			return ASKS_UNKNOWN;
		if (kind == TELLING)
			answer = ASKS_TELLS;
		else if (kind && (parameters ||
		                  !((kind == BARE && !asks_is_called(s + n, t->end)) ||
		                    (kind == CALLED && has_numbers(s + n, t->end)))))
			return ASKS_UNKNOWN;
	}
	return answer;
}

int asks_by_facts(const struct asks *x, const void *facts, size_t n)
{
	struct asks own, known;
	int answer = ASKS_NOT, state, parameters;
	unsigned count;

	part_of(&own, x, 1);
	asks_init(&known, x->arena, x->words);
	known.sought = x->sought;
	if (own.texts.failed || asks_clear_table(&own) < 0 || asks_clear_table(&known) < 0 ||
	    (state = read_facts(&known, facts, n)) < 0)
		return ASKS_UNKNOWN;
	count = ASKS_COUNT(own.texts, asks_text);
	if (state == ASKING)
		return ASKS_FREELY;
	for (unsigned i = 0; i < count; i++)
		if (text_takes(&own, &known, ASKS_AT(own.texts, asks_text, i)))
			return ASKS_FREELY;
	if (!is_simple(&own, &known, &parameters))
		return ASKS_UNKNOWN;
	for (unsigned i = 0; i < count; i++) {
		int one = text_adds(x, &known, ASKS_AT(own.texts, asks_text, i), parameters);

		if (one == ASKS_UNKNOWN)
			return one;
		answer = one > answer ? one : answer;
	}
	return answer;
}
