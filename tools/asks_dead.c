/* tools/asks_dead.c - parts of a text that no compile reaches: behind `#ifdef NAME` where nothing
 * defines NAME.
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
	int otherwise;    /* the conditional's #else is dead */
};
struct walk {
	struct asks *x;
	struct conditional v[DEPTH_MOST];
	int depth, failed;
};

static int is_undefined(struct asks *x, const char *name, size_t n)
{
	struct asks_macro *m;

	if (!n || *name == '_' || (*name >= '0' && *name <= '9'))
		return 0;
	if (list_has_n(own_macros, name, n))
		return 0;
	m = asks_macro(x, name, n, 1);
	if (!m || m->defined)
		return 0;
	m->tested = 1;
	return 1;
}

static void kill(struct walk *w, const char *from, const char *to)
{
	struct asks_text part = {.s = from, .end = to};

	for (int i = 0; i + 1 < w->depth; i++)
		if (w->v[i].dead)
			return; /* inside a larger dead part */
	buf_add(&w->x->dead, &part, sizeof part);
}

/* The NAME of #ifdef, or of an #if that holds `defined(NAME)` and nothing else. */
static size_t tested(const char **s, const char *end, int whole)
{
	const char *p = *s;
	size_t n = asks_next_word(&p, end);

	if (whole) {
		*s = p;
		return n;
	}
	if (!asks_word_is(p, n, "defined"))
		return 0;
	p += n;
	*s = p;
	n = asks_next_word(s, end);
	p = *s + n;
	while (p < end && (asks_is_blank(*p) || *p == ')'))
		p++;
	return p == end ? n : 0;
}

static void directive(struct walk *w, const char *line, const char *s, const char *end)
{
	size_t n = asks_next_word(&s, end), length;
	const char *name = s + n;
	struct conditional *c = w->depth ? &w->v[w->depth - 1] : NULL;

	if (n >= 2 && memcmp(s, "if", 2) == 0) {
		int is_not = asks_word_is(s, n, "ifndef");
		int undefined;

		if (w->depth == DEPTH_MOST) {
			w->failed = 1;
			return;
		}
		length = tested(&name, end, n > 2);
		undefined = is_undefined(w->x, name, length);
		w->v[w->depth++] = (struct conditional){undefined && !is_not ? end : NULL,
		                                         undefined && is_not};
	} else if (asks_word_is(s, n, "endif") || asks_word_is(s, n, "else") ||
	           (n > 3 && memcmp(s, "elif", 4) == 0)) {
		if (!c) {
			w->failed = 1;
			return;
		}
		if (c->dead)
			kill(w, c->dead, line);
		c->dead = c->otherwise && s[1] == 'l' && s[2] == 's' ? end : NULL;
		c->otherwise = 0;
		if (s[1] == 'n')
			w->depth--;
	}
}

/* Follows quoted text and comments along a line. in: inside a comment that has not ended. */
static void comments(const char *s, const char *end, int *in)
{
	for (; s < end; s++) {
		if (*in) {
			const char *stop = asks_seek(s, end, "*/");

			if (!stop)
				return;
			*in = 0;
			s = stop + 1;
		} else if (*s == '/' && s + 1 < end && s[1] == '/') {
			return;
		} else if (*s == '/' && s + 1 < end && s[1] == '*') {
			*in = 1;
			s++;
		} else if (*s == '"') {
			for (s++; s < end && *s != '"'; s++)
				if (*s == '\\')
					s++;
		}
	}
}

void asks_find_dead(struct asks *x, struct asks_text *t)
{
	struct walk w = {.x = x};
	size_t before = x->dead.len;
	int in = 0;

	if (asks_seek(t->s, t->end, "R\"") || asks_seek(t->s, t->end, "'\"'") ||
	    asks_seek(t->s, t->end, "'/*"))
		return;
	for (const char *line = t->s, *stop; line < t->end && !w.failed; line = stop + 1) {
		const char *p = line;

		stop = asks_line_end(line, t->end);
		if (!in) {
			while (p < stop && asks_is_blank(*p))
				p++;
			if (p < stop && *p == '#')
				directive(&w, line, p + 1, stop);
		}
		comments(p, stop, &in);
	}
	if (w.failed || w.depth || in)
		x->dead.len = before;
	t->dead = (unsigned)(before / sizeof *t);
	t->dead_count = ASKS_COUNT(x->dead, asks_text) - t->dead;
}

int asks_is_dead(const struct asks *x, const struct asks_text *t, const char *at)
{
	for (unsigned i = 0; i < t->dead_count; i++) {
		const struct asks_text *part = ASKS_AT(x->dead, asks_text, t->dead + i);

		if (at >= part->s && at < part->end)
			return 1;
	}
	return 0;
}
