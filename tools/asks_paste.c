/* tools/asks_paste.c - whether ## could make a word that asks, where a macro that pastes is used.
 *
 * Such a use can put together the words of its arguments, and the words of each macro that it leads
 * to. */
#include "tools/asks_paste.h"

#include <string.h>

#include "tools/asks_parts.h"
#include "tools/asks_words.h"
#include "tools/list.h"

#include "shim/banned.h"

#define LONGEST 255 /* bytes of a name that could be pasted */
#define PIECES_MOST 4096

/* Adds quoted words too, since a quote may not be what it seems. */
static int add_words(struct asks *pieces, const char *p, const char *end)
{
	for (size_t n; (n = asks_next_word(&p, end)) != 0; p += n)
		if (!asks_macro(pieces, p, n, 1) ||
		    ASKS_COUNT(pieces->macros, asks_macro) > PIECES_MOST)
			return -1;
	return 0;
}

/* Each word that is a macro adds the words of its texts, without its parameters. The table grows
 * during the walk. */
static int close_pieces(struct asks *x, struct asks *pieces)
{
	for (unsigned i = 0; i < ASKS_COUNT(pieces->macros, asks_macro); i++) {
		const struct asks_macro *piece = ASKS_AT(pieces->macros, asks_macro, i);
		const struct asks_macro *m = asks_macro(x, piece->name, piece->len, 0);

		for (unsigned b = m ? m->bodies : 0; b;
		     b = ASKS_AT(x->bodies, asks_body, b - 1)->next) {
			const struct asks_body *body = ASKS_AT(x->bodies, asks_body, b - 1);
			const char *p = body->s;

			for (size_t n; (n = asks_next_code_word(&p, body->end)) != 0; p += n)
				if (!asks_is_parameter(body, p, n) &&
				    add_words(pieces, p, p + n) < 0)
					return -1;
		}
	}
	return 0;
}

/* Whether two words or more make this name. */
static int is_pasted(struct asks *pieces, const char *name, size_t len)
{
	unsigned char reached[LONGEST + 1] = {1};

	if (len > LONGEST)
		return 1;
	for (size_t at = 0; at < len; at++)
		for (size_t n = 1; reached[at] && at + n <= len; n++)
			if (n < len && asks_macro(pieces, name + at, n, 0))
				reached[at + n] = 1;
	return reached[len];
}

/* The end of a use's arguments: the closing parenthesis, if a parenthesis follows the macro's
 * name. */
static const char *arguments_end(const char *p, const char *end)
{
	int depth = 0;

	while (p < end && (asks_is_blank(*p) || *p == '\n'))
		p++;
	if (p == end || *p != '(')
		return p;
	for (; p < end; p++)
		if (*p == '(')
			depth++;
		else if (*p == ')' && --depth == 0)
			return p;
	return end;
}

/* One table serves all uses: there are thousands. */
static struct asks *fresh_pieces(struct asks *x)
{
	struct asks *pieces = x->pieces;

	if (!pieces) {
		pieces = x->pieces = arena_alloc(x->arena, sizeof *pieces);
		if (!pieces)
			return NULL;
		asks_init(pieces, x->arena, 0);
		pieces->buckets = arena_alloc(x->arena, ASKS_BUCKETS * sizeof *pieces->buckets);
	} else if (pieces->buckets) {
		memset(pieces->buckets, 0, ASKS_BUCKETS * sizeof *pieces->buckets);
		pieces->macros.len = 0;
	}
	return pieces->buckets ? pieces : NULL;
}

int asks_paste(struct asks *x, const char *word, size_t n, const char *end, unsigned flags)
{
	struct asks *pieces = fresh_pieces(x);

	if (!pieces || add_words(pieces, word, arguments_end(word + n, end)) < 0 ||
	    close_pieces(x, pieces) < 0)
		return 1;
	for (unsigned i = 0; i < x->flagged.len / sizeof i; i++) {
		unsigned at;
		const struct asks_macro *m;

		memcpy(&at, x->flagged.data + i * sizeof at, sizeof at);
		m = ASKS_AT(x->macros, asks_macro, at);

		if (m->flags & flags && is_pasted(pieces, m->name, m->len))
			return 1;
	}
	for (const char *name = asks_takers; *name && flags & TAKES; name = LIST_NEXT(name))
		if (is_pasted(pieces, name, strlen(name)))
			return 1;
	return 0;
}
