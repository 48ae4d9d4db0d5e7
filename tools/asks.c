/* tools/asks.c - macros that lead to a text's name, and who uses them. */
#include "tools/asks.h"

#include <stdint.h>
#include <string.h>

#include "tools/asks_parts.h"
#include "tools/list.h"

#include "shim/banned.h"

#define MACROS_MOST (1u << 20)

/* NVRTC's own macros of these names paste. */
static const char nvrtc_pasting[] = "NV_\0_NV_\0";
/* The callers give the caller's name, as a default argument. */
#define CALLERS "__builtin_FILE\0__builtin_FILE_NAME\0__builtin_source_location\0"
const char asks_takers[] = CALLERS "__FILE__\0__BASE_FILE__\0__FILE_NAME__\0";
static const char callers[] = CALLERS;
/* clang spells the place of a lambda in it, by any header's template. */
static const char pretty[] = "__PRETTY_FUNCTION__\0__FUNCSIG__\0function_name\0";

static const unsigned char letters[256] = {['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1,
	                                   ['_'] = 1, ['$'] = 1};

int asks_is_word(char c)
{
	return letters[(unsigned char)c];
}

int asks_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

int asks_word_is(const char *word, size_t n, const char *what)
{
	return n == strlen(what) && memcmp(word, what, n) == 0;
}

/* memmem looks at each letter, and these texts are long. */
const char *asks_seek(const char *s, const char *end, const char *what)
{
	size_t n = strlen(what);

	for (; (s = memchr(s, *what, (size_t)(end - s))) != NULL; s++)
		if ((size_t)(end - s) >= n && memcmp(s, what, n) == 0)
			return s;
	return NULL;
}

size_t asks_next_word(const char **s, const char *end)
{
	const char *p = *s;

	while (p < end && !asks_is_word(*p))
		p++;
	*s = p;
	while (p < end && asks_is_word(*p))
		p++;
	return (size_t)(p - *s);
}

static unsigned bucket(const char *s, size_t n)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	while (n--)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return (h ^ h >> 15) % ASKS_BUCKETS;
}

/* Its index and one; 0: there is none. */
static unsigned find(struct asks *x, const char *name, size_t len, int add)
{
	unsigned *head = &x->buckets[bucket(name, len)];
	struct asks_macro new = {.name = name, .len = len, .next = *head};

	for (unsigned i = *head; i; i = ASKS_AT(x->macros, asks_macro, i - 1)->next) {
		const struct asks_macro *m = ASKS_AT(x->macros, asks_macro, i - 1);

		if (m->len == len && memcmp(m->name, name, len) == 0)
			return i;
	}
	if (!add)
		return 0;
	if (ASKS_COUNT(x->macros, asks_macro) >= MACROS_MOST)
		x->macros.failed = 1;
	buf_add(&x->macros, &new, sizeof new);
	if (x->macros.failed)
		return 0;
	return *head = ASKS_COUNT(x->macros, asks_macro);
}

struct asks_macro *asks_macro(struct asks *x, const char *name, size_t len, int add)
{
	unsigned i = find(x, name, len, add);

	return i ? ASKS_AT(x->macros, asks_macro, i - 1) : NULL;
}

/* What a word asks for by itself. */
static unsigned word_flags(const struct asks *x, const char *word, size_t n)
{
	if (list_has_n(callers, word, n))
		return TAKES | CALLS;
	if (list_has_n(asks_takers, word, n) || (x->words & ASKS_PRETTY && list_has_n(pretty, word, n)))
		return TAKES;
	if (!(x->words & ASKS_NVRTC))
		return 0;
	/* Of its releases nobody knows what else they call so. */
	if (asks_seek(word, word + n, "FILE") || asks_seek(word, word + n, "source_location") ||
	    asks_word_is(word, n, "assert"))
		return TAKES;
	for (const char *begin = nvrtc_pasting; *begin; begin = LIST_NEXT(begin))
		if (n >= strlen(begin) && memcmp(word, begin, strlen(begin)) == 0)
			return TAKES;
	return 0;
}

/* Compilers see the backslash before blanks, too. */
const char *asks_line_end(const char *s, const char *end)
{
	for (const char *p = s;; p++) {
		const char *last;

		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return end;
		for (last = p; last > s && asks_is_blank(last[-1]); last--)
			;
		if (last == s || last[-1] != '\\')
			return p;
	}
}

const char *asks_body_end(const char *s, const char *end)
{
	const char *stop = asks_line_end(s, end), *from = s;

	while ((from = asks_seek(from, stop, "/*")) != NULL) {
		const char *until = asks_seek(from + 2, end, "*/");

		if (!until)
			return end;
		if (until >= stop)
			stop = asks_line_end(until, end);
		from = until + 2 <= stop ? until + 2 : stop;
	}
	return stop;
}

/* ", ##__VA_ARGS__" drops the comma and makes no word. */
static int pastes(const char *s, const char *end)
{
	for (const char *p = s; (p = asks_seek(p, end, "##")) != NULL; p += 2) {
		const char *before = p, *after = p + 2;

		while (before > s && (asks_is_blank(before[-1]) || before[-1] == '\\' || before[-1] == '\n'))
			before--;
		while (after < end && asks_is_blank(*after))
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

/* Behind a comment or what is quoted, if one begins here; NULL: none does, or it does not end. */
const char *asks_skip_other(const char *s, const char *end)
{
	const char *p;

	if (*s == '/' && s + 1 < end && s[1] == '/')
		return end;
	if (*s == '/' && s + 1 < end && s[1] == '*')
		return (p = asks_seek(s + 2, end, "*/")) ? p + 2 : NULL;
	if (*s != '"' && *s != '\'')
		return NULL;
	for (p = s + 1; p < end && *p != *s; p++)
		if (*p == '\\')
			p++;
		else if (*p == '\n')
			return NULL;
	return p < end ? p + 1 : NULL;
}

/* As asks_next_word(), without what stands in comments and between quotes. */
size_t asks_next_code_word(const char **s, const char *end)
{
	const char *p = *s;

	while (p < end && !asks_is_word(*p)) {
		const char *behind = asks_skip_other(p, end);

		p = behind ? behind : p + 1;
	}
	*s = p;
	return asks_next_word(s, end);
}

int asks_is_parameter(const struct asks_body *body, const char *word, size_t len)
{
	const char *list = body->list;

	for (size_t n; (n = asks_next_word(&list, body->s)) != 0; list += n)
		if (n == len && memcmp(list, word, n) == 0)
			return 1;
	return 0;
}

/* The words of a macro's text, each of which it may become; what stands for an argument is none of them. */
static void define_body(struct asks *x, unsigned user, const char *s, const char *end)
{
	const char *stop = s < end && *s == '(' ? memchr(s, ')', (size_t)(end - s)) : NULL;
	const char *begin = stop ? stop : s;
	struct asks_body body = {s, begin, end, ASKS_AT(x->macros, asks_macro, user - 1)->bodies};
	unsigned own = (pastes(s, end) ? PASTES : 0) | (assigns(s, end) ? EQUALS : 0);

	buf_add(&x->bodies, &body, sizeof body);
	if (x->bodies.failed)
		return;
	ASKS_AT(x->macros, asks_macro, user - 1)->bodies = ASKS_COUNT(x->bodies, asks_body);
	s = begin;
	for (size_t n; (n = asks_next_code_word(&s, end)) != 0; s += n) {
		unsigned flags, used;
		struct asks_use one;

		if (asks_is_parameter(&body, s, n))
			continue;
		flags = word_flags(x, s, n);
		used = find(x, s, n, 1);
		if (!used)
			return;
		if (flags == TAKES && asks_word_is(s, n, "__FILE__") && asks_is_told(begin, s, n, end))
			flags = TELLS;
		own |= flags;
		one.user = user;
		one.next = ASKS_AT(x->macros, asks_macro, used - 1)->used_by;
		buf_add(&x->uses, &one, sizeof one);
		if (x->uses.failed)
			return;
		ASKS_AT(x->macros, asks_macro, used - 1)->used_by = ASKS_COUNT(x->uses, asks_use);
	}
	ASKS_AT(x->macros, asks_macro, user - 1)->flags |= own;
}

/* What follows "#define", to the end of its line. names: that there is one; its text comes later. */
static void define(struct asks *x, const struct asks_text *t, const char *s, int names)
{
	const char *end = t->end;
	unsigned user;
	size_t n;

	while (s < end && asks_is_blank(*s))
		s++;
	for (n = 0; s + n < end && asks_is_word(s[n]); n++)
		;
	/* Else it is none, unless a comment or a line's end stands before the name. */
	if (!n) {
		x->unclear |= s < end && (*s == '/' || *s == '\\');
		return;
	}
	user = find(x, s, n, 1);
	if (!user)
		return;
	ASKS_AT(x->macros, asks_macro, user - 1)->defined = 1;
	if (!names && !asks_is_dead(x, t, s))
		define_body(x, user, s + n, asks_body_end(s + n, end));
}

/* `#include NAME`: what the name becomes is the name of a file. */
static void include(struct asks *x, const char *s, const char *end)
{
	struct asks_text line;

	while (s < end && asks_is_blank(*s))
		s++;
	if (s == end || *s == '"' || *s == '<')
		return;
	line = (struct asks_text){.s = s, .end = asks_line_end(s, end)};
	buf_add(&x->lines, &line, sizeof line);
}

/* Every definition, wherever one seems to stand. */
static void definitions(struct asks *x, const struct asks_text *t, int names)
{
	for (const char *p = t->s; (p = memchr(p, '#', (size_t)(t->end - p))) != NULL;) {
		size_t left;

		while (++p < t->end && asks_is_blank(*p))
			;
		left = (size_t)(t->end - p);
		if (left >= 6 && memcmp(p, "define", 6) == 0)
			define(x, t, p + 6, names);
		else if (!names && left >= 7 && memcmp(p, "include", 7) == 0)
			include(x, p + 7 + (left >= 12 && memcmp(p + 7, "_next", 5) == 0 ? 5 : 0), t->end);
		else if (left && (*p == '\\' || (*p == '/' && left > 1 && p[1] == '*')))
			x->unclear = 1;
		/* It may give a name of its own, or the name it has anew. */
		else if (t->own && left && ((*p >= '0' && *p <= '9') || (left >= 4 && memcmp(p, "line", 4) == 0)))
			x->unclear = 1;
	}
}

int asks_spread(struct asks *x)
{
	unsigned count = ASKS_COUNT(x->macros, asks_macro), waiting = 0, room = 8 * count + 1;
	unsigned *stack = arena_alloc(x->arena, room * sizeof *stack);

	if (!stack)
		return -1;
	for (unsigned i = 0; i < count; i++)
		if (ASKS_AT(x->macros, asks_macro, i)->flags)
			stack[waiting++] = i;
	/* Each is put there again at most once for each flag that it gains. */
	while (waiting) {
		const struct asks_macro *m = ASKS_AT(x->macros, asks_macro, stack[--waiting]);

		for (unsigned u = m->used_by; u; u = ASKS_AT(x->uses, asks_use, u - 1)->next) {
			unsigned user = ASKS_AT(x->uses, asks_use, u - 1)->user - 1;
			struct asks_macro *by = ASKS_AT(x->macros, asks_macro, user);

			if ((by->flags | m->flags) == by->flags)
				continue;
			by->flags |= m->flags;
			if (waiting == room)
				return -1;
			stack[waiting++] = user;
		}
	}
	return 0;
}

static unsigned flags_of(struct asks *x, const char *word, size_t n)
{
	const struct asks_macro *m = asks_macro(x, word, n, 0);

	return word_flags(x, word, n) | (m ? m->flags : 0);
}

static enum asks_answer own_asks(struct asks *x, const struct asks_text *t)
{
	enum asks_answer answer = ASKS_NOT;
	const char *s = t->s;

	for (size_t n; (n = asks_next_word(&s, t->end)) != 0; s += n) {
		unsigned flags = flags_of(x, s, n);

		if (flags & TAKES)
			return ASKS_FREELY;
		if (flags & PASTES && asks_paste(x, s, n, t->end))
			return ASKS_FREELY;
		if (flags & TELLS)
			answer = ASKS_TELLS;
	}
	return answer;
}

/* A computed name of a file could be put together to be the source's. */
static int line_asks(struct asks *x, const struct asks_text *t)
{
	const char *s = t->s;

	for (size_t n; (n = asks_next_word(&s, t->end)) != 0; s += n)
		if (flags_of(x, s, n) & (TAKES | PASTES))
			return 1;
	return 0;
}

/* "%:" is "#"; "??=" as well and "??/" a backslash, where trigraphs are. Of a word that is pretty any text will do. */
static int is_odd(const struct asks *x, const struct asks_text *t)
{
	if (asks_seek(t->s, t->end, "%:") || asks_seek(t->s, t->end, "?\?=") ||
	    asks_seek(t->s, t->end, "?\?/"))
		return 1;
	return x->words & ASKS_PRETTY && x->words & ASKS_CXX &&
	       (asks_seek(t->s, t->end, "__PRETTY_FUNCTION__") || asks_seek(t->s, t->end, "__FUNCSIG__"));
}

void asks_init(struct asks *x, struct arena *arena, unsigned words)
{
	*x = (struct asks){.arena = arena, .words = words, .texts = BUF_INIT(arena),
		           .macros = BUF_INIT(arena), .uses = BUF_INIT(arena), .lines = BUF_INIT(arena),
		           .dead = BUF_INIT(arena), .bodies = BUF_INIT(arena)};
}

void asks_add(struct asks *x, const char *text, size_t n, int own)
{
	struct asks_text one = {.s = text, .end = text + n, .own = own};

	buf_add(&x->texts, &one, sizeof one);
}

enum asks_answer asks_answer(struct asks *x)
{
	enum asks_answer answer = ASKS_NOT;
	unsigned count = ASKS_COUNT(x->texts, asks_text);

	x->buckets = arena_alloc(x->arena, ASKS_BUCKETS * sizeof *x->buckets);
	if (!x->buckets || x->texts.failed)
		return ASKS_FREELY;
	for (const char *name = callers; *name; name = LIST_NEXT(name)) {
		struct asks_macro *m = asks_macro(x, name, strlen(name), 1);

		if (!m)
			return ASKS_FREELY;
		m->flags |= TAKES | CALLS;
	}
	for (unsigned i = 0; i < count; i++) {
		if (is_odd(x, ASKS_AT(x->texts, asks_text, i)))
			return ASKS_FREELY;
		definitions(x, ASKS_AT(x->texts, asks_text, i), 1);
	}
	for (unsigned i = 0; i < count; i++)
		asks_find_dead(x, ASKS_AT(x->texts, asks_text, i));
	for (unsigned i = 0; i < count; i++)
		definitions(x, ASKS_AT(x->texts, asks_text, i), 0);
	if (x->unclear || x->macros.failed || x->uses.failed || x->bodies.failed || x->lines.failed || x->dead.failed || asks_spread(x) < 0 ||
	    (x->words & ASKS_CXX && asks_calls(x)))
		return ASKS_FREELY;
	for (unsigned i = 0; i < ASKS_COUNT(x->lines, asks_text); i++)
		if (line_asks(x, ASKS_AT(x->lines, asks_text, i)))
			return ASKS_FREELY;
	for (unsigned i = 0; i < count && answer != ASKS_FREELY; i++)
		if (ASKS_AT(x->texts, asks_text, i)->own) {
			enum asks_answer one = own_asks(x, ASKS_AT(x->texts, asks_text, i));

			answer = one > answer ? one : answer;
		}
	return answer == ASKS_TELLS && asks_tell_defined(x) ? ASKS_FREELY : answer;
}
