/* tools/asks/paste.c - whether ## could make a word that asks, where a macro that pastes is used.
 *
 * Such a use can put together the words of its arguments, and the words of each macro that it leads
 * to. All words of the text count in two cases: the arguments may stand elsewhere, or the use could
 * make the name of another macro that pastes. Then the words of each macro count, too, whose name
 * these words could make. */
#include "tools/asks/parts.h"

#include <string.h>

#include "shim/list.h"
#include "tools/asks/words.h"

#include "shim/banned.h"

#define LONGEST 255 /* bytes of a name that could be pasted */
#define PIECES_MOST 4096 /* of one use */
#define PIECES_OF_TEXT 65536
#define USES_FEW 8 /* of a text: so many are asked for one by one */
#define KNOWN_USES_MOST 512

/* Two bytes with which a piece begins, and two with which a piece ends. Pieces cannot make most
 * names, and these bytes show it. */
#define PAIRS 8192 /* bytes of a set of pairs */
#define HINTS (2 * PAIRS)

static void mark(unsigned char *set, unsigned char first, unsigned char second)
{
	unsigned pair = first * 256u + second;

	set[pair / 8] |= (unsigned char)(1u << pair % 8);
}

static int is_marked(const unsigned char *set, const char *two)
{
	unsigned pair = (unsigned char)two[0] * 256u + (unsigned char)two[1];

	return set[pair / 8] >> pair % 8 & 1;
}

static const char own_macros[] = ASKS_OWN_MACROS;

/* A compiler's own macros have such names, except for a few old macros. */
static int is_reserved(const char *p, size_t n)
{
	return n > 1 && p[0] == '_' && (p[1] == '_' || (p[1] >= 'A' && p[1] <= 'Z'));
}

static int add_piece(struct asks *pieces, const char *p, size_t n)
{
	unsigned char *begins = pieces->hints, *ends = pieces->hints + PAIRS;
	unsigned before = ASKS_COUNT(pieces->macros, asks_macro);

	if (!asks_macro(pieces, p, n, 1) ||
	    ASKS_COUNT(pieces->macros, asks_macro) > pieces->pieces_most)
		return -1;
	if (ASKS_COUNT(pieces->macros, asks_macro) == before)
		return 0;
	pieces->own_macro |= is_reserved(p, n) || list_has_n(own_macros, p, n);
	pieces->sizes |= 1ull << (n < 63 ? n : 63);
	for (unsigned c = 0; n == 1 && c < 256; c++) {
		mark(begins, (unsigned char)*p, (unsigned char)c);
		mark(ends, (unsigned char)c, (unsigned char)*p);
	}
	if (n > 1) {
		mark(begins, (unsigned char)p[0], (unsigned char)p[1]);
		mark(ends, (unsigned char)p[n - 2], (unsigned char)p[n - 1]);
	}
	return 0;
}

/* Adds quoted words too, since a quote may stand where it quotes nothing. */
static int add_words(struct asks *pieces, const char *p, const char *end)
{
	for (size_t n; (n = asks_next_word(&p, end)) != 0; p += n)
		if (add_piece(pieces, p, n) < 0)
			return -1;
	return 0;
}

/* Adds the words of this macro's texts, without its parameters. */
static int add_bodies(struct asks *x, struct asks *pieces, const struct asks_macro *m)
{
	for (unsigned b = m ? m->bodies : 0; b; b = ASKS_AT(x->bodies, asks_body, b - 1)->next) {
		const struct asks_body *body = ASKS_AT(x->bodies, asks_body, b - 1);
		const char *p = body->s;

		for (size_t n; (n = asks_next_code_word(&p, body->end)) != 0; p += n)
			if (!asks_is_parameter(body, p, n) && add_words(pieces, p, p + n) < 0)
				return -1;
	}
	return 0;
}

static int is_piece(struct asks *pieces, const char *s, size_t n)
{
	return pieces->sizes >> (n < 63 ? n : 63) & 1 &&
	       (n < 2 || is_marked(pieces->hints + PAIRS, s + n - 2)) &&
	       (asks_macro(pieces, s, n, 0) ||
	        (pieces->pieces && asks_macro(pieces->pieces, s, n, 0)));
}

/* The letters with which an own value (asks_is_own_value(), asks_is_own_suffix()) can begin, and
 * end. */
enum { BEGINS = 1, ENDS = 2 };
static const unsigned char own_letters[256] = {
	['0' ... '9'] = BEGINS | ENDS, ['A' ... 'F'] = ENDS, ['L'] = BEGINS | ENDS,
	['U'] = BEGINS | ENDS, ['Z'] = BEGINS | ENDS,
	['a' ... 'b'] = ENDS, ['c' ... 'd'] = BEGINS | ENDS, ['e'] = BEGINS | ENDS,
	['f'] = BEGINS | ENDS, ['g'] = ENDS, ['i'] = BEGINS, ['k'] = ENDS, ['l'] = BEGINS | ENDS,
	['n'] = ENDS, ['r'] = ENDS, ['s'] = BEGINS, ['t'] = ENDS, ['u'] = BEGINS | ENDS,
	['w'] = BEGINS};

static int own_letter(char c, int what)
{
	return own_letters[(unsigned char)c] & what;
}

/* Pieces could begin and end a name with these letters. own: among the pieces may be what a
 * compiler's own macro becomes. */
static int ends_fit(const struct asks *pieces, const char *first, const char *last, int own)
{
	return (is_marked(pieces->hints, first) || (own && own_letter(first[0], BEGINS))) &&
	       (is_marked(pieces->hints + PAIRS, last) || (own && own_letter(last[1], ENDS)));
}

static int is_own_piece(const char *s, size_t n)
{
	return own_letter(s[n - 1], ENDS) && (asks_is_own_value(s, n) || asks_is_own_suffix(s, n));
}

/* Whether two words or more make this name. own: among the pieces may be what a compiler's own
 * macro becomes. */
static int is_pasted(struct asks *pieces, const char *name, size_t len, int own)
{
	unsigned char reached[LONGEST + 1] = {1};

	if (len > LONGEST)
		return 1;
	if (len < 2 || !ends_fit(pieces, name, name + len - 2, own))
		return 0;
	for (size_t at = 0; at < len; at++) {
		int begins, begins_own;

		if (!reached[at])
			continue;
		begins = at + 1 == len || is_marked(pieces->hints, name + at);
		begins_own = own && own_letter(name[at], BEGINS);
		for (size_t n = 1; (begins || begins_own) && at + n <= len; n++)
			if (n < len && ((begins && is_piece(pieces, name + at, n)) ||
			                (begins_own && is_own_piece(name + at, n))))
				reached[at + n] = 1;
	}
	return reached[len];
}

static int makes(struct asks *pieces, struct asks_macro *m)
{
	if (pieces->own_macro && m->numbered == NUMBERED_UNKNOWN)
		m->numbered = asks_holds_own_value(m->name, m->len) ? NUMBERED_YES : NUMBERED_NOT;
	return is_pasted(pieces, m->name, m->len,
	                 pieces->own_macro && m->numbered == NUMBERED_YES);
}

/* Adds the words of each macro that is a piece, or whose name the pieces make, until there is no
 * more. The table grows during the walk. *elsewhere: such a name is that of a macro that pastes and
 * may take arguments from elsewhere. -1: too many. */
static int close_pieces(struct asks *x, struct asks *pieces, int *elsewhere)
{
	unsigned next = 0, before;

	do {
		for (; next < ASKS_COUNT(pieces->macros, asks_macro); next++) {
			const struct asks_macro *piece = ASKS_AT(pieces->macros, asks_macro, next);

			if (add_bodies(x, pieces,
			               asks_macro(x, piece->name, piece->len, 0)) < 0)
				return -1;
		}
		before = next;
		for (unsigned i = 0; i < ASKS_COUNT(x->ends, asks_ends); i++) {
			const struct asks_ends *e = ASKS_AT(x->ends, asks_ends, i);
			struct asks_macro *m = ASKS_AT(x->macros, asks_macro, e->macro);

			if (m->made_of == pieces->pieces_number ||
			    !ends_fit(pieces, e->first, e->last, pieces->own_macro) ||
			    !makes(pieces, m))
				continue;
			m->made_of = pieces->pieces_number;
			*elsewhere |= m->flags & PASTES &&
			              (m->flags & OPENS || asks_takes_arguments(x, m));
			if (add_bodies(x, pieces, m) < 0)
				return -1;
		}
	} while (ASKS_COUNT(pieces->macros, asks_macro) != before);
	return 0;
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

/* Follows the text from t->place to the word, or over one directive, comment, quote or parenthesis.
 * Inside parentheses a directive may choose between other parentheses. */
static void pass(struct asks_text *t, const char *word)
{
	const char *p = t->place, *behind = NULL;

	while (p < word && (!*p || !strchr("#/\"'()", *p)))
		p++;
	t->place = p;
	if (p == word)
		return;
	if (*p == '#')
		behind = asks_body_end(p, t->end);
	else if (*p != '(' && *p != ')')
		behind = asks_skip_other(p, t->end);
	if (*p == '(')
		t->depth++;
	else if ((*p == ')' && !t->depth--) || (*p == '#' && t->depth) ||
	         (!behind && (*p == '"' || *p == '\'')))
		t->depth = -1;
	t->place = behind ? behind : p + 1;
}

/* 0: the word stands in no parentheses, which could be those of a macro. */
static int is_enclosed(struct asks_text *t, const char *word)
{
	if (!t->place || t->place > word) {
		t->depth = asks_seek(t->s, t->end, "R\"") ? -1 : 0;
		t->place = t->s;
	}
	while (t->place < word && t->depth >= 0)
		pass(t, word);
	return t->depth != 0;
}

static int text_pastes(struct asks *x, struct asks_text *t, unsigned flags);

/* 1: the word may stand in parentheses that a macro's text opens: of a macro that the text names
 * before, or puts together. gcc and clang let no text close what another one opened. */
static int is_behind_opened(struct asks *x, struct asks_text *t, const char *word)
{
	const char *s = t->s;

	if (!x->opened || x->words & ASKS_NVRTC)
		return x->opened;
	if (!t->opened) {
		for (size_t n; (n = asks_next_word(&s, t->end)) != 0; s += n) {
			const struct asks_macro *m = asks_macro(x, s, n, 0);

			if (m && (m->flags & OPENED ||
			          (m->flags & PASTES && text_pastes(x, t, OPENED))))
				break;
		}
		t->opened = s;
	}
	return t->opened <= word;
}

/* The end of this use of a macro, arguments included; word: it is no use. NULL: it may take
 * arguments that stand elsewhere. */
static const char *use_end(struct asks *x, struct asks_text *t, const char *word, size_t n)
{
	const struct asks_macro *m = asks_macro(x, word, n, 0);
	const char *stop = arguments_end(word + n, t->end);
	int bare = stop == word + n && m && asks_takes_arguments(x, m);

	if (bare && (is_behind_opened(x, t, word) || is_enclosed(t, word)))
		return NULL;
	if (bare && !asks_stands_alone(x, m))
		return word;
	return m && !(m->flags & OPENS) && stop && !asks_is_called(stop, t->end) ? stop : NULL;
}

static struct asks *new_pieces(struct asks *x)
{
	struct asks *pieces = arena_alloc(x->arena, sizeof *pieces);

	if (!pieces)
		return NULL;
	asks_init(pieces, x->arena, 0);
	pieces->hints = arena_alloc(x->arena, HINTS);
	return pieces->hints && asks_clear_table(pieces) == 0 ? pieces : NULL;
}

/* One table serves all uses: there are thousands. */
static struct asks *fresh_pieces(struct asks *x, unsigned most)
{
	struct asks *pieces = x->pieces;

	if (!pieces) {
		pieces = x->pieces = new_pieces(x);
		if (!pieces)
			return NULL;
	} else {
		memset(pieces->hints, 0, HINTS);
		asks_clear_table(pieces);
	}
	pieces->sizes = 0;
	pieces->pieces_most = most;
	pieces->pieces_number++;
	pieces->own_macro = x->numbers;
	pieces->pieces = NULL;
	return pieces;
}

/* The words of all macros' texts. */
static struct asks *body_pieces(struct asks *x)
{
	struct asks *all = x->body_pieces;

	if (all)
		return all;
	all = new_pieces(x);
	if (!all)
		return NULL;
	all->pieces_most = ~0u;
	for (unsigned i = 0; i < ASKS_COUNT(x->macros, asks_macro); i++)
		if (add_bodies(x, all, ASKS_AT(x->macros, asks_macro, i)) < 0)
			return NULL;
	return x->body_pieces = all;
}

/* Whether the pieces make a word with one of these flags. */
static int make_any(struct asks *x, struct asks *pieces, unsigned flags)
{
	for (unsigned i = 0; i < x->flagged.len / sizeof i; i++) {
		struct asks_macro *m;
		unsigned at;

		memcpy(&at, x->flagged.data + i * sizeof at, sizeof at);
		m = ASKS_AT(x->macros, asks_macro, at);
		if (m->flags & flags && makes(pieces, m))
			return 1;
	}
	for (const char *name = asks_takers; *name && flags & TAKES && !x->sought;
	     name = LIST_NEXT(name))
		if (is_pasted(pieces, name, strlen(name), 0))
			return 1;
	return 0;
}

/* 0: no use in this text makes a word with one of these flags. Not even the words of the text and
 * of all macros' texts together make one. That rules out most texts. */
static int text_could_paste(struct asks *x, struct asks_text *t, unsigned flags)
{
	struct asks *pieces, *all;

	if (t->could_known)
		return t->could & flags;
	t->could_known = 1;
	t->could = TAKES | BASES;
	all = body_pieces(x);
	pieces = fresh_pieces(x, PIECES_OF_TEXT);
	if (!pieces || !all || add_words(pieces, t->s, t->end) < 0)
		return t->could & flags;
	for (size_t i = 0; i < HINTS; i++)
		pieces->hints[i] |= all->hints[i];
	pieces->sizes |= all->sizes;
	pieces->own_macro = 1;
	pieces->pieces = all;
	t->could = (unsigned char)((make_any(x, pieces, TAKES) ? TAKES : 0) |
	                           (make_any(x, pieces, BASES) ? BASES : 0));
	return t->could & flags;
}

/* Whether all words of the text, and those of the macros to which they lead, make such a word. */
static int text_pastes(struct asks *x, struct asks_text *t, unsigned flags)
{
	struct asks *pieces;
	int elsewhere = 0;

	if (!(t->pasted_known & flags)) {
		pieces = fresh_pieces(x, PIECES_OF_TEXT);
		t->pasted_known |= (unsigned char)flags;
		if (!pieces || add_words(pieces, t->s, t->end) < 0 ||
		    close_pieces(x, pieces, &elsewhere) < 0 ||
		    make_any(x, pieces, flags))
			t->pasted |= (unsigned char)flags;
	}
	return (t->pasted & flags) != 0;
}

/* Whether the words from `word` to `end` can be pasted to a word that asks. Where the macro may
 * take arguments from elsewhere, all words of the text count, and *elsewhere is set. */
static int words_paste(struct asks *x, struct asks_text *t, const char *word, const char *end,
                       unsigned flags, int *elsewhere)
{
	struct asks *pieces = fresh_pieces(x, PIECES_MOST);

	if (!pieces || add_words(pieces, word, end) < 0 || close_pieces(x, pieces, elsewhere) < 0)
		return 1;
	return *elsewhere ? text_pastes(x, t, flags) : make_any(x, pieces, flags);
}

/* The same for a use with arguments. Headers of CUDA have hundreds of uses, and few spellings. */
static int use_pastes(struct asks *x, struct asks_text *t, const char *word, const char *end,
                      unsigned flags)
{
	struct asks_known_use use = {.s = word, .len = (size_t)(end - word), .flags = flags};

	for (unsigned i = 0; i < ASKS_COUNT(x->known_uses, asks_known_use); i++) {
		const struct asks_known_use *u = ASKS_AT(x->known_uses, asks_known_use, i);

		if (u->len == use.len && u->flags == flags && memcmp(u->s, word, use.len) == 0)
			return u->elsewhere ? text_pastes(x, t, flags) : u->pastes;
	}
	use.pastes = words_paste(x, t, word, end, flags, &use.elsewhere);
	if (ASKS_COUNT(x->known_uses, asks_known_use) < KNOWN_USES_MOST)
		buf_add(&x->known_uses, &use, sizeof use);
	return use.pastes;
}

int asks_paste(struct asks *x, struct asks_text *t, const char *word, size_t n, unsigned flags)
{
	struct asks_macro *m = asks_macro(x, word, n, 0);
	const char *end = use_end(x, t, word, n);
	int elsewhere = 0, pastes;

	if (end == word || !text_could_paste(x, t, flags))
		return 0;
	if (!end || !m)
		return text_pastes(x, t, flags);
	/* What all words of the text cannot make, a few of them cannot. */
	if (end > word + n)
		return (++t->uses <= USES_FEW || text_pastes(x, t, flags)) &&
		       use_pastes(x, t, word, end, flags);
	/* Without arguments each use is the same: headers have thousands of __device__. */
	if (m->pasted_known & flags)
		return (m->pasted & flags) != 0;
	pastes = words_paste(x, t, word, end, flags, &elsewhere);
	m->pasted_known |= (unsigned char)(elsewhere ? 0 : flags);
	m->pasted |= (unsigned char)(pastes ? flags : 0);
	return pastes;
}

int asks_pastes_nothing(struct asks *x, const struct asks_macro *m, unsigned flags)
{
	struct asks *pieces = fresh_pieces(x, PIECES_MOST);
	int elsewhere = 0;

	return pieces && !(m->flags & OPENS) && add_words(pieces, m->name, m->name + m->len) == 0 &&
	       close_pieces(x, pieces, &elsewhere) == 0 && !elsewhere &&
	       !make_any(x, pieces, flags);
}
