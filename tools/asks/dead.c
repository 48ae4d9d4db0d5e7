/* tools/asks/dead.c - parts of a text that no compile reaches. A part behind `#ifdef NAME` is dead
 * if nothing defines NAME. A part behind its #else is dead if the command defines NAME and nothing
 * undefines it.
 *
 * A compiler's own macros begin with an underscore, except for a few old macros. So a name with
 * other letters that no text and no option defines is not a macro. Where a text is not understood,
 * no part of it is dead. */
#include "tools/asks/parts.h"

#include <string.h>

#include "shim/buf.h"
#include "shim/list.h"
#include "tools/asks/words.h"

#include "shim/banned.h"

#define DEPTH_MOST 64

struct conditional {
	const char *dead; /* where the conditional's dead part began, else NULL */
	int taken;        /* one of the parts before is compiled, so the others are dead */
};
struct walk {
	struct asks *x;
	struct conditional v[DEPTH_MOST];
	int depth, failed;
};

static void kill(struct walk *w, const char *from, const char *to)
{
	struct asks_part part = {from, to, 0};

	for (int i = 0; i + 1 < w->depth; i++)
		if (w->v[i].dead)
			return; /* inside a larger dead part */
	buf_add(&w->x->dead, &part, sizeof part);
}

/* What the condition behind "if", "ifdef" and so on says. word: that, without "el". */
static int condition(struct asks *x, const char *word, size_t n, const char *p, const char *end)
{
	int is_not = asks_word_is(word, n, "ifndef"), known;
	const char *name = p = asks_skip_blanks(p, end);

	if (asks_word_is(word, n, "if"))
		return asks_expression(x, p, end);
	if (!is_not && !asks_word_is(word, n, "ifdef"))
		return ASKS_UNSURE;
	while (p < end && asks_is_word(*p))
		p++;
	/* The name may go on with other letters. */
	if (p < end && !ascii_blank(*p) && *p != '/')
		return ASKS_UNSURE;
	known = asks_is_macro(x, name, (size_t)(p - name));
	return known == ASKS_UNSURE ? ASKS_UNSURE : known != is_not;
}

static void begin_part(struct conditional *c, int known, const char *end)
{
	c->dead = c->taken || known == ASKS_FALSE ? end : NULL;
	c->taken = c->taken || known == ASKS_TRUE;
}

/* Only some compilers and some standards know these directives. Where they are not known, the part
 * before goes on. */
static int is_new(const char *s, size_t n)
{
	return asks_word_is(s, n, "elifdef") || asks_word_is(s, n, "elifndef");
}

static int is_conditional(const char *s, size_t n)
{
	return is_new(s, n) ||
	       list_has_n("if\0ifdef\0ifndef\0elif\0else\0endif\0", s, n);
}

static void directive(struct walk *w, const char *line, const char *s, const char *end)
{
	const char *word = s = asks_skip_blanks(s, end);
	size_t n = asks_next_word(&s, end);
	struct conditional *c = w->depth ? &w->v[w->depth - 1] : NULL;

	if (s != word)
		return; /* a compiler skips it */
	if (asks_word_is(s, n, "define")) {
		struct asks_part part = {s, end, 1};

		buf_add(&w->x->dead, &part, sizeof part);
	} else if (!is_conditional(s, n)) {
		return;
	} else if (*s == 'i') {
		if (w->depth == DEPTH_MOST) {
			w->failed = 1;
			return;
		}
		c = &w->v[w->depth++];
		c->taken = 0;
		begin_part(c, condition(w->x, s, n, s + n, end), end);
	} else {
		if (!c) {
			w->failed = 1;
			return;
		}
		if (c->dead)
			kill(w, c->dead, line);
		if (is_new(s, n))
			c->dead = NULL;
		else if (s[1] == 'n')
			w->depth--;
		else if (s[2] == 's')
			begin_part(c, ASKS_UNSURE, end);
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

/* Letters that may begin a comment or quoted text. */
static const unsigned char begins[256] = {['/'] = 1, ['"'] = 1, ['\''] = 1};

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
			for (s++; s < end && !begins[(unsigned char)*s]; s++)
				;
		}
	}
	return 0;
}

/* A directive behind a comment, which directive() does not see. */
static int is_hidden(const char *line, const char *end, int in)
{
	const char *p = asks_skip_blanks(line, end);

	while (in || (end - p > 1 && p[0] == '/' && p[1] == '*')) {
		p = asks_seek(in ? p : p + 2, end, "*/");
		if (!p)
			return 0;
		p = asks_skip_blanks(p + 2, end);
		in = 0;
	}
	return p > asks_skip_blanks(line, end) && p < end && *p == '#';
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
			while (p < stop && ascii_blank(*p))
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
