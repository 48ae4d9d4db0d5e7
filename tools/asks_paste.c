/* tools/asks_paste.c - whether ## could make a word that asks, where a macro that pastes is used.
 *
 * Such a use can put together the words of its arguments, and the words of each macro that it leads
 * to. Where its arguments may stand elsewhere, or where it could make the name of another macro
 * that pastes, all words of the text count, and those of each macro whose name they could make. */
#include "tools/asks_paste.h"

#include <string.h>

#include "tools/asks_parts.h"
#include "tools/asks_words.h"
#include "tools/list.h"

#include "shim/banned.h"

#define LONGEST 255 /* bytes of a name that could be pasted */
#define PIECES_MOST 4096 /* of one use */
#define PIECES_OF_TEXT 65536

/* Adds quoted words too, since a quote may not be what it seems. */
static int add_words(struct asks *pieces, const char *p, const char *end)
{
	for (size_t n; (n = asks_next_word(&p, end)) != 0; p += n)
		if (!asks_macro(pieces, p, n, 1) ||
		    ASKS_COUNT(pieces->macros, asks_macro) > pieces->pieces_most)
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

/* The place behind the arguments that stand at p, or p. NULL: where they end is not clear. */
static const char *arguments_end(const char *p, const char *end)
{
	int depth = 0;

	if (!asks_is_called(p, end))
		return p;
	for (p = asks_skip_gap(p, end); p < end; p++)
		if (*p == '(')
			depth++;
		else if (*p == ')' && --depth == 0)
			return p + 1;
		else if (*p == '"' || *p == '\'' || (*p == '/' && asks_skip_other(p, end)))
			return NULL;
	return NULL;
}

/* The end of this use of a macro, arguments included. NULL: it may take arguments that stand
 * elsewhere. */
static const char *use_end(struct asks *x, const struct asks_text *t, const char *word, size_t n)
{
	const struct asks_macro *m = asks_macro(x, word, n, 0);
	const char *stop = arguments_end(word + n, t->end);

	if (!m || m->flags & OPENS || !stop || asks_is_called(stop, t->end) ||
	    (stop == word + n && asks_takes_arguments(x, m)))
		return NULL;
	return stop;
}

/* One table serves all uses: there are thousands. */
static struct asks *fresh_pieces(struct asks *x, unsigned most)
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
	pieces->pieces_most = most;
	return pieces->buckets ? pieces : NULL;
}

/* Whether the pieces make the name of one of these macros, with one of the flags. */
static int makes(struct asks *x, struct asks *pieces, const struct buf *macros, unsigned flags)
{
	for (unsigned i = 0; i < macros->len / sizeof i; i++) {
		const struct asks_macro *m;
		unsigned at;

		memcpy(&at, macros->data + i * sizeof at, sizeof at);
		m = ASKS_AT(x->macros, asks_macro, at);
		if (m->flags & flags && is_pasted(pieces, m->name, m->len))
			return 1;
	}
	return 0;
}

static int makes_any(struct asks *x, struct asks *pieces, unsigned flags)
{
	if (makes(x, pieces, &x->flagged, flags))
		return 1;
	for (const char *name = asks_takers; *name && flags & TAKES && !x->sought;
	     name = LIST_NEXT(name))
		if (is_pasted(pieces, name, strlen(name)))
			return 1;
	return 0;
}

/* Adds each macro whose name the pieces make, until there is no more. -1: too many. */
static int close_text(struct asks *x, struct asks *pieces)
{
	unsigned before;

	do {
		if (close_pieces(x, pieces) < 0)
			return -1;
		before = ASKS_COUNT(pieces->macros, asks_macro);
		for (unsigned i = 0; i < ASKS_COUNT(x->macros, asks_macro); i++) {
			const struct asks_macro *m = ASKS_AT(x->macros, asks_macro, i);

			if (m->bodies && is_pasted(pieces, m->name, m->len) &&
			    add_words(pieces, m->name, m->name + m->len) < 0)
				return -1;
		}
	} while (ASKS_COUNT(pieces->macros, asks_macro) != before);
	return 0;
}

/* The same with all words of the text. */
static int text_pastes(struct asks *x, struct asks_text *t, unsigned flags)
{
	struct asks *pieces;

	if (!(t->pasted_known & flags)) {
		pieces = fresh_pieces(x, PIECES_OF_TEXT);
		t->pasted_known |= (unsigned char)flags;
		if (!pieces || add_words(pieces, t->s, t->end) < 0 || close_text(x, pieces) < 0 ||
		    makes_any(x, pieces, flags))
			t->pasted |= (unsigned char)flags;
	}
	return (t->pasted & flags) != 0;
}

int asks_paste(struct asks *x, struct asks_text *t, const char *word, size_t n, unsigned flags)
{
	const char *end = use_end(x, t, word, n);
	struct asks *pieces = end ? fresh_pieces(x, PIECES_MOST) : NULL;

	if (!pieces)
		return text_pastes(x, t, flags);
	if (add_words(pieces, word, end) < 0 || close_pieces(x, pieces) < 0)
		return 1;
	if (makes(x, pieces, &x->pasting, PASTES))
		return text_pastes(x, t, flags);
	return makes_any(x, pieces, flags);
}
