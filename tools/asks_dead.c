/* tools/asks_dead.c - parts of a text that no compile reaches: behind `#ifdef NAME` where nothing
 * defines NAME, and behind the #else of one where the command defines it and nothing undefines it.
 *
 * A compiler's own macros begin with an underscore, except for a few old macros. So a name with
 * other letters that no text and no option defines is not a macro. Where a text is not understood,
 * no part of it is dead. */
#include "tools/asks_dead.h"

#include <string.h>

#include "shim/buf.h"
#include "tools/asks_parts.h"
#include "tools/asks_words.h"
#include "tools/list.h"

#include "shim/banned.h"

#define DEPTH_MOST 64

static const char own_macros[] = ASKS_OWN_MACROS;

struct conditional {
	const char *dead; /* where the conditional's dead part began, else NULL */
	int taken;        /* one of the parts before is compiled, so the others are dead */
};
struct walk {
	struct asks *x;
	struct conditional v[DEPTH_MOST];
	int depth, failed;
};
enum { FALSE, TRUE, UNKNOWN };

/* Whether the name is a macro. */
static int is_macro(struct asks *x, const char *name, size_t n)
{
	struct asks_macro *m;

	if (!n || *name == '_' || (*name >= '0' && *name <= '9'))
		return UNKNOWN;
	if (list_has_n(own_macros, name, n))
		return UNKNOWN;
	m = asks_macro(x, name, n, 1);
	if (!m || (m->defined && (!m->given || m->undone)))
		return UNKNOWN;
	m->tested = 1;
	return m->defined ? TRUE : FALSE;
}

static void kill(struct walk *w, const char *from, const char *to)
{
	struct asks_part part = {from, to, 0};

	for (int i = 0; i + 1 < w->depth; i++)
		if (w->v[i].dead)
			return; /* inside a larger dead part */
	buf_add(&w->x->dead, &part, sizeof part);
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && asks_is_blank(*p))
		p++;
	return p;
}

/* What `defined(NAME)` says, `defined NAME`, the same behind one "!", 0 or 1, if nothing else
 * stands in the line. */
static int value(struct asks *x, const char *p, const char *end)
{
	int is_not = p < end && *p == '!', paren, known;
	const char *name;
	size_t n;

	p = skip_blanks(p + is_not, end);
	if (!is_not && p < end && (*p == '0' || *p == '1') && skip_blanks(p + 1, end) == end)
		return *p == '1';
	if (end - p < 8 || memcmp(p, "defined", 7) != 0 || asks_is_word(p[7]))
		return UNKNOWN;
	p = skip_blanks(p + 7, end);
	paren = p < end && *p == '(';
	p = name = skip_blanks(p + paren, end);
	while (p < end && asks_is_word(*p))
		p++;
	n = (size_t)(p - name);
	p = skip_blanks(p, end);
	if (paren && (p == end || *p++ != ')'))
		return UNKNOWN;
	if (skip_blanks(p, end) != end)
		return UNKNOWN;
	known = is_macro(x, name, n);
	return known == UNKNOWN ? UNKNOWN : known != is_not;
}

/* What the condition behind "if", "ifdef" and so on says. word: that, without "el". */
static int condition(struct asks *x, const char *word, size_t n, const char *p, const char *end)
{
	int is_not = asks_word_is(word, n, "ifndef"), known;
	const char *name = p = skip_blanks(p, end);

	if (asks_word_is(word, n, "if"))
		return value(x, p, end);
	if (!is_not && !asks_word_is(word, n, "ifdef"))
		return UNKNOWN;
	while (p < end && asks_is_word(*p))
		p++;
	known = is_macro(x, name, (size_t)(p - name));
	return known == UNKNOWN ? UNKNOWN : known != is_not;
}

static void begin_part(struct conditional *c, int known, const char *end)
{
	c->dead = c->taken || known == FALSE ? end : NULL;
	c->taken = c->taken || known == TRUE;
}

static void directive(struct walk *w, const char *line, const char *s, const char *end)
{
	size_t n = asks_next_word(&s, end);
	struct conditional *c = w->depth ? &w->v[w->depth - 1] : NULL;

	if (asks_word_is(s, n, "define")) {
		struct asks_part part = {s, end, 1};

		buf_add(&w->x->dead, &part, sizeof part);
	} else if (n >= 2 && memcmp(s, "if", 2) == 0) {
		if (w->depth == DEPTH_MOST) {
			w->failed = 1;
			return;
		}
		c = &w->v[w->depth++];
		c->taken = 0;
		begin_part(c, condition(w->x, s, n, s + n, end), end);
	} else if (asks_word_is(s, n, "endif") || asks_word_is(s, n, "else") ||
	           (n > 3 && memcmp(s, "elif", 4) == 0)) {
		if (!c) {
			w->failed = 1;
			return;
		}
		if (c->dead)
			kill(w, c->dead, line);
		if (s[1] == 'n')
			w->depth--;
		else if (s[2] == 's')
			begin_part(c, UNKNOWN, end);
		else
			begin_part(c, condition(w->x, s + 2, n - 2, s + n, end), end);
	}
}

/* Behind the quoted text that begins at s; NULL: it does not end in this line. */
static const char *quoted_end(const char *s, const char *end)
{
	const char quote = *s;

	for (s++; s < end && *s != quote; s++)
		if (*s == '\\')
			s++;
	return s < end ? s + 1 : NULL;
}

/* 1'000 */
static int is_separator(const char *line, const char *s)
{
	const char *word = s;

	while (word > line && (asks_is_word(word[-1]) || word[-1] == '\''))
		word--;
	return word < s && *word >= '0' && *word <= '9';
}

/* Follows quoted text and comments along a line. *in: inside a comment that has not ended. -1: the
 * line is not understood. */
static int comments(const char *line, const char *end, int *in)
{
	for (const char *s = line; s < end;) {
		if (*in) {
			s = asks_seek(s, end, "*/");
			if (!s)
				return 0;
			*in = 0;
			s += 2;
		} else if (*s == '/' && s + 1 < end && s[1] == '/') {
			return 0;
		} else if (*s == '/' && s + 1 < end && s[1] == '*') {
			*in = 1;
			s += 2;
		} else if (*s == '\'' && is_separator(line, s)) {
			/* In C it may begin a character. */
			if (asks_seek(s, end, "/*") || memchr(s, '"', (size_t)(end - s)))
				return -1;
			s++;
		} else if (*s == '"' || *s == '\'') {
			s = quoted_end(s, end);
			if (!s)
				return -1;
		} else {
			s++;
		}
	}
	return 0;
}

/* A directive behind a comment, which directive() does not see. */
static int is_hidden(const char *line, const char *end, int in)
{
	const char *p = skip_blanks(line, end);

	while (in || (end - p > 1 && p[0] == '/' && p[1] == '*')) {
		p = asks_seek(in ? p : p + 2, end, "*/");
		if (!p)
			return 0;
		p = skip_blanks(p + 2, end);
		in = 0;
	}
	return p > skip_blanks(line, end) && p < end && *p == '#';
}

void asks_find_dead(struct asks *x, struct asks_text *t)
{
	struct walk w = {.x = x};
	size_t before = x->dead.len;
	int in = 0;

	if (asks_seek(t->s, t->end, "R\""))
		return;
	for (const char *line = t->s, *stop; line < t->end && !w.failed; line = stop + 1) {
		const char *p = line;

		stop = asks_line_end(line, t->end);
		w.failed |= is_hidden(line, stop, in);
		if (!in) {
			while (p < stop && asks_is_blank(*p))
				p++;
			if (p < stop && *p == '#')
				directive(&w, line, p + 1, stop);
		}
		w.failed |= comments(p, stop, &in) < 0;
	}
	if (w.failed || w.depth || in)
		x->dead.len = before;
	t->dead = (unsigned)(before / sizeof(struct asks_part));
	t->dead_count = ASKS_COUNT(x->dead, asks_part) - t->dead;
}

int asks_is_dead(const struct asks *x, const struct asks_text *t, const char *at, int defined)
{
	for (unsigned i = 0; i < t->dead_count; i++) {
		const struct asks_part *part = ASKS_AT(x->dead, asks_part, t->dead + i);

		if (at >= part->s && at < part->end && (defined || !part->defines))
			return 1;
	}
	return 0;
}
