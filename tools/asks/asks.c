/* tools/asks/asks.c - macros that lead to a text's name, and their uses. */
#include "tools/asks/asks.h"

#include <string.h>

#include "shim/list.h"
#include "tools/asks/parts.h"
#include "tools/asks/words.h"

#include "shim/banned.h"

static const char callers[] = ASKS_CALLERS;
/* clang spells the place of a lambda in __PRETTY_FUNCTION__, through any header's template. */
static const char pretty[] = "__PRETTY_FUNCTION__\0__FUNCSIG__\0function_name\0";

/* NVRTC has macros of its own with such names, which paste. CCCL's headers define the same ones. */
static int is_nvrtc_pasting(const char *word, size_t n)
{
	return ascii_begins(word, n, "NV_") || ascii_begins(word, n, "_NV_");
}

static unsigned sought_flags(const struct asks *x, const char *word, size_t n)
{
	const struct asks_macro *m;

	if (list_has_n(x->sought, word, n))
		return TAKES;
	if (!(x->words & ASKS_NVRTC) || !is_nvrtc_pasting(word, n))
		return 0;
	m = x->buckets ? asks_known(x, word, n) : NULL;
	return m && m->defined ? 0 : PASTES;
}

unsigned asks_word_flags(const struct asks *x, const char *word, size_t n)
{
	if (x->sought)
		return sought_flags(x, word, n);
	if (list_has_n(callers, word, n))
		return TAKES | CALLS;
	if (asks_word_is(word, n, "__BASE_FILE__"))
		return TAKES | BASES;
	if (list_has_n(asks_takers, word, n) ||
	    (x->words & ASKS_PRETTY && list_has_n(pretty, word, n)))
		return TAKES;
	if (!(x->words & ASKS_NVRTC))
		return 0;
	/* Nobody knows which other names of this kind its releases have. */
	if (asks_seek(word, word + n, "FILE") || asks_seek(word, word + n, "source_location") ||
	    asks_word_is(word, n, "assert"))
		return TAKES;
	return is_nvrtc_pasting(word, n) ? TAKES : 0;
}

/* ", ##__VA_ARGS__" drops the comma and makes no word. */
static int pastes(const char *s, const char *end)
{
	for (const char *p = s; (p = asks_seek(p, end, "##")) != NULL; p += 2) {
		const char *before = p, *after = p + 2;

		while (before > s && (ascii_blank(before[-1]) || before[-1] == '\\' ||
		                      before[-1] == '\n'))
			before--;
		while (after < end && ascii_blank(*after))
			after++;
		if (before == s || before[-1] != ',' || asks_next_word(&after, end) != 11 ||
		    memcmp(after, "__VA_ARGS__", 11) != 0)
			return 1;
	}
	return 0;
}

static int assigns(const char *s, const char *end)
{
	for (const char *p = s; (p = memchr(p, '=', (size_t)(end - p))) != NULL; p++)
		if ((p == s || !strchr("=!<>", p[-1])) && (p + 1 == end || p[1] != '='))
			return 1;
	return 0;
}

/* Clang lets a raw string continue behind the macro's line. C reads 1'0' as two words. */
static int is_unclear(const struct asks *x, const char *word, size_t n, const char *end)
{
	return (word + n < end && word[n] == '"' && asks_is_raw(word, n)) ||
	       (!(x->words & ASKS_CXX) && memchr(word, '\'', n));
}

static int is_balanced(const char *s, const char *end)
{
	int depth = 0;

	while (s < end && depth >= 0) {
		const char *behind = asks_skip_other(s, end);

		depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
		s = behind ? behind : s + 1;
	}
	return !depth;
}

/* The ")" behind the parameters of a macro, whose name ends at s. NULL: it has none. *unclear: they
 * hold a byte that belongs to no word, so a parameter's name is not known. */
static const char *parameters_end(const char *s, const char *end, int *unclear)
{
	if (s == end || *s != '(')
		return NULL;
	while (s < end && *s != ')') {
		const char *behind = asks_skip_other(s, end);

		*unclear |= !behind && ((unsigned char)*s >= 0x80 || strchr("/\"'", *s));
		s = behind ? behind : s + 1;
	}
	return s < end ? s : NULL;
}

/* Enters the words of a macro's text, since the macro may become each of them. Its parameters are
 * left out. */
static void define_body(struct asks *x, unsigned user, const char *s, const char *end)
{
	const char *stop = parameters_end(s, end, &x->unclear);
	const char *begin = stop ? stop : s;
	struct asks_body body = {s, begin, end, ASKS_AT(x->macros, asks_macro, user - 1)->bodies};
	unsigned own = (pastes(s, end) ? PASTES : 0) | (assigns(s, end) ? EQUALS : 0) |
	               (is_balanced(stop ? stop + 1 : s, end) ? 0 : OPENS | OPENED);

	x->opened |= (own & OPENED) != 0;
	buf_add(&x->bodies, &body, sizeof body);
	if (x->bodies.failed)
		return;
	ASKS_AT(x->macros, asks_macro, user - 1)->bodies = ASKS_COUNT(x->bodies, asks_body);
	s = begin;
	for (size_t n; (n = asks_next_code_word(&s, end)) != 0; s += n) {
		struct asks_macro *used;
		struct asks_use one;
		unsigned flags;

		if (is_unclear(x, s, n, end)) {
			x->unclear = 1;
			return;
		}
		if (asks_is_parameter(&body, s, n))
			continue;
		flags = asks_word_flags(x, s, n);
		if (!x->sought && asks_is_file(s, n) && asks_is_told(begin, s, n, end)) {
			own |= TELLS;
			continue;
		}
		used = asks_macro(x, s, n, 1);
		if (!used)
			return;
		own |= flags;
		one.user = user;
		one.next = used->used_by;
		one.bare = !asks_is_called(s + n, end);
		buf_add(&x->uses, &one, sizeof one);
		if (x->uses.failed)
			return;
		used->used_by = ASKS_COUNT(x->uses, asks_use);
	}
	ASKS_AT(x->macros, asks_macro, user - 1)->flags |= own;
}

/* Enters the definition behind "#define", to the end of its line. names: only the macro's name is
 * entered; its text comes later. */
static void define(struct asks *x, const struct asks_text *t, const char *s, int names)
{
	const char *end = t->end;
	struct asks_macro *m;
	size_t n;

	while (s < end && ascii_blank(*s))
		s++;
	for (n = 0; s + n < end && asks_is_word(s[n]); n++)
		;
	/* No macro is defined, unless a comment or a line's end stands before the name, or the name
	 * begins with another letter. */
	if (!n) {
		x->unclear |= s < end && (*s == '/' || *s == '\\' || (unsigned char)*s >= 0x80);
		return;
	}
	m = asks_macro(x, s, n, 1);
	if (!m)
		return;
	if (names)
		asks_define_value(m, s + n, asks_body_end(s + n, end));
	m->defined = 1;
	/* The name may go on with other letters. */
	m->given |= t->given && s + n < end && (ascii_blank(s[n]) || strchr("(\n", s[n]));
	if (!names && !asks_is_dead(x, t, s, 0))
		define_body(x, (unsigned)(m - ASKS_AT(x->macros, asks_macro, 0)) + 1, s + n,
		            asks_body_end(s + n, end));
}

/* The name behind "#undef". */
static void undefine(struct asks *x, const struct asks_text *t, const char *s)
{
	struct asks_macro *m;
	size_t n;

	while (s < t->end && ascii_blank(*s))
		s++;
	for (n = 0; s + n < t->end && asks_is_word(s[n]); n++)
		;
	if (!n)
		x->unclear |= s < t->end && (*s == '/' || *s == '\\');
	else if ((m = asks_macro(x, s, n, 1)) != NULL)
		m->undone = 1;
}

/* `#include NAME`: the name becomes the name of a file. */
static void include(struct asks *x, const char *s, const char *end)
{
	struct asks_text line;

	while (s < end && ascii_blank(*s))
		s++;
	if (s == end || *s == '"' || *s == '<')
		return;
	line = (struct asks_text){.s = s, .end = asks_line_end(s, end)};
	buf_add(&x->lines, &line, sizeof line);
}

/* A directive may begin at `at`: only blanks or comments stand before it in its line. */
static int may_be_directive(const struct asks_text *t, const char *at)
{
	while (at > t->s && ascii_blank(at[-1]))
		at--;
	return at == t->s || (unsigned char)at[-1] < ' ' ||
	       (at - t->s > 1 && at[-1] == '/' && at[-2] == '*');
}

void asks_definitions(struct asks *x, const struct asks_text *t, int names)
{
	for (const char *p = t->s; (p = memchr(p, '#', (size_t)(t->end - p))) != NULL;) {
		const char *at = p;
		size_t left;

		while (++p < t->end && ascii_blank(*p))
			;
		left = (size_t)(t->end - p);
		if (left >= 6 && memcmp(p, "define", 6) == 0)
			define(x, t, p + 6, names);
		else if (names && left >= 5 && memcmp(p, "undef", 5) == 0)
			undefine(x, t, p + 5);
		else if (!names && left >= 7 && memcmp(p, "include", 7) == 0)
			include(x, p + 7 + (left >= 12 && memcmp(p + 7, "_next", 5) == 0 ? 5 : 0),
			        t->end);
		else if (left && (*p == '\\' || (*p == '/' && left > 1 && p[1] == '*')))
			x->unclear = 1;
		/* A #line may set another name, or the present name again. */
		else if (t->own && !x->sought && left && may_be_directive(t, at) &&
		         ((*p >= '0' && *p <= '9') || (left >= 4 && memcmp(p, "line", 4) == 0)))
			x->unclear = 1;
	}
}

static unsigned flags_of(struct asks *x, const char *word, size_t n)
{
	const struct asks_macro *m = asks_macro(x, word, n, 0);

	return asks_word_flags(x, word, n) | (m ? m->flags : 0);
}

static enum asks_answer text_asks(struct asks *x, struct asks_text *t)
{
	enum asks_answer answer = ASKS_NOT;
	const char *s = t->s;

	for (size_t n; (n = asks_next_word(&s, t->end)) != 0; s += n) {
		unsigned flags = flags_of(x, s, n);

		if (flags & (TAKES | TELLS | PASTES) && asks_is_dead(x, t, s, 1))
			continue;
		if (flags & TAKES)
			return ASKS_FREELY;
		if (flags & PASTES && asks_paste(x, t, s, n, TAKES))
			return ASKS_FREELY;
		if (flags & TELLS)
			answer = ASKS_TELLS;
	}
	return answer;
}

/* A computed file name could be put together to equal the source's name. */
static int line_asks(struct asks *x, const struct asks_text *t)
{
	const char *s = t->s;

	for (size_t n; (n = asks_next_word(&s, t->end)) != 0; s += n)
		if (flags_of(x, s, n) & (TAKES | PASTES))
			return 1;
	return 0;
}

/* "%:" is "#". Where trigraphs are on, "??=" is "#" too and "??/" is a backslash. For the pretty
 * words, any text that holds them will do. */
int asks_is_odd(const struct asks *x, const struct asks_text *t)
{
	if (asks_seek(t->s, t->end, "%:") || asks_seek(t->s, t->end, "?\?=") ||
	    asks_seek(t->s, t->end, "?\?/") || asks_has_other_ends(t->s, t->end))
		return 1;
	return !x->sought && x->words & ASKS_PRETTY && x->words & ASKS_CXX &&
	       (asks_seek(t->s, t->end, "__PRETTY_FUNCTION__") ||
	        asks_seek(t->s, t->end, "__FUNCSIG__"));
}

static void add(struct asks *x, const char *text, size_t n, struct asks_text one)
{
	one.s = asks_joined(x->arena, text, &n);
	x->texts.failed |= !one.s;
	one.end = one.s ? one.s + n : NULL;
	buf_add(&x->texts, &one, sizeof one);
}

void asks_add(struct asks *x, const char *text, size_t n, int own)
{
	add(x, text, n, (struct asks_text){.own = own});
}

void asks_add_given(struct asks *x, const char *text, size_t n)
{
	add(x, text, n, (struct asks_text){.given = 1});
}

int asks_learn(struct asks *x)
{
	/* All words except __FILE__: for __FILE__ it matters where the name goes. */
	static const char known[] = ASKS_CALLERS "__BASE_FILE__\0";
	unsigned count = ASKS_COUNT(x->texts, asks_text);

	if (asks_clear_table(x) < 0 || x->texts.failed)
		return 1;
	for (const char *name = x->sought ? x->sought : known; *name; name = LIST_NEXT(name)) {
		struct asks_macro *m = asks_macro(x, name, strlen(name), 1);

		if (!m)
			return 1;
		m->flags |= asks_word_flags(x, name, strlen(name));
	}
	for (unsigned i = 0; i < count; i++) {
		if (asks_is_odd(x, ASKS_AT(x->texts, asks_text, i)))
			return 1;
		asks_definitions(x, ASKS_AT(x->texts, asks_text, i), 1);
	}
	for (unsigned i = 0; i < count && !x->sought; i++)
		asks_find_dead(x, ASKS_AT(x->texts, asks_text, i));
	for (unsigned i = 0; i < count; i++)
		asks_definitions(x, ASKS_AT(x->texts, asks_text, i), 0);
	if (x->unclear || x->macros.failed || x->uses.failed || x->bodies.failed ||
	    x->lines.failed || x->dead.failed || asks_spread(x) < 0 ||
	    (!x->sought && asks_calls(x)))
		return 1;
	for (unsigned i = 0; i < count && x->words & ASKS_NVRTC; i++)
		if (asks_spans(x, ASKS_AT(x->texts, asks_text, i)))
			return 1;
	for (unsigned i = 0; i < ASKS_COUNT(x->lines, asks_text); i++)
		if (line_asks(x, ASKS_AT(x->lines, asks_text, i)))
			return 1;
	return 0;
}

enum asks_answer asks_words(struct asks *x)
{
	enum asks_answer answer = ASKS_NOT;

	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text) && answer != ASKS_FREELY; i++) {
		struct asks_text *t = ASKS_AT(x->texts, asks_text, i);
		int counts = t->own || (x->whole && !t->given);
		enum asks_answer one = counts ? text_asks(x, t) : ASKS_NOT;

		answer = one > answer ? one : answer;
	}
	return answer;
}

enum asks_answer asks_answer(struct asks *x)
{
	enum asks_answer answer = asks_learn(x) ? ASKS_FREELY : asks_words(x);

	return answer == ASKS_TELLS && asks_tell_defined(x) ? ASKS_FREELY : answer;
}
