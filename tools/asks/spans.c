/* tools/asks/spans.c - calls of macros whose arguments stand in more than one text.
 *
 * NVRTC takes the arguments of a macro across the end of a header, and from a header that is
 * included between them. gcc and clang refuse both. What ## makes of the words of such texts does
 * not show in any one of them. */
#include "tools/asks/parts.h"

#include <limits.h>
#include <string.h>

#include "tools/asks/words.h"

#include "shim/banned.h"

#define CONDITIONS_MOST 128

/* How many parentheses are open: in this branch of an #if, and at most in its other branches. Less
 * than 0: another text opened them, and that one spans. */
struct count {
	int depth, most[CONDITIONS_MOST], before[CONDITIONS_MOST];
	char all[CONDITIONS_MOST]; /* there is an #else: one of the branches is taken */
	unsigned conditions;
};

static int begins(const char *p, const char *end, const char *what)
{
	return ascii_begins(p, (size_t)(end - p), what);
}

/* Follows the directive whose name begins at p. -1: it includes a text between parentheses, or is
 * not understood. */
static int follow(struct count *c, const char *p, const char *end)
{
	unsigned i = c->conditions - 1;

	if (begins(p, end, "if")) {
		if (++i == CONDITIONS_MOST)
			return -1;
		c->conditions++;
		c->before[i] = c->depth;
		c->most[i] = INT_MIN;
		c->all[i] = 0;
	} else if (begins(p, end, "el") || begins(p, end, "endif")) {
		if (!c->conditions)
			return -1;
		c->most[i] = c->depth > c->most[i] ? c->depth : c->most[i];
		c->all[i] |= begins(p, end, "else");
		if (*p == 'e' && p[1] == 'n' && !c->all[i] && c->before[i] > c->most[i])
			c->most[i] = c->before[i];
		c->depth = begins(p, end, "el") ? c->before[i] : c->most[i];
		c->conditions -= *p == 'e' && p[1] == 'n';
	}
	return c->depth > 0 && (begins(p, end, "include") || begins(p, end, "import")) ? -1 : 0;
}

/* The word that begins at p leads to a parenthesis that it does not close. */
static int is_opened(struct asks *x, const char *p, size_t n)
{
	const struct asks_macro *m = x->opened ? asks_macro(x, p, n, 0) : NULL;

	return m && m->flags & OPENED;
}

/* --- public --- */

int asks_spans(struct asks *x, const struct asks_text *t)
{
	struct count c = {.depth = 0};
	int fresh = 1; /* nothing but blanks stands before this place in its line */

	for (const char *p = t->s; p < t->end;) {
		const char *behind = asks_skip_other(p, t->end);

		if (*p == '#' && fresh) {
			if (follow(&c, asks_skip_gap(p + 1, t->end), t->end) < 0)
				return 1;
			p = asks_body_end(p, t->end);
		} else if (asks_is_word(*p)) {
			size_t n = asks_word_length(p, t->end);

			if (is_opened(x, p, n))
				return 1;
			p = asks_skip_word(x, p, n, t->end);
			fresh = 0;
			if (!p)
				return 1;
		} else if (behind) {
			fresh &= *p == '/';
			p = behind;
		} else {
			c.depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
			fresh = *p == '\n' || (fresh && ascii_blank(*p));
			p++;
		}
	}
	return c.depth > 0;
}
