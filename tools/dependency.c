/* tools/dependency.c - looks for the word "dependency" behind "GCC" or "clang", or in front of a
 * string. */
#include "tools/dependency.h"

#include <string.h>

#include "shim/path.h"
#include "tools/asks_words.h"
#include "tools/text_kind.h"
#include "tools/list.h"

#include "shim/banned.h"

static const char the_word[] = "dependency";
static const char operators[] = "_Pragma\0__pragma\0";

struct reading {
	const char *text, *end;
	int (*asked)(void *of, const char *name, size_t n);
	void *of;
	int makes;  /* a macro of the text may make pragmas of its arguments */
	int joined; /* lines were joined, within raw strings, too */
};

static int is_owner(const char *word, size_t n)
{
	return asks_word_is(word, n, "GCC") || asks_word_is(word, n, "clang");
}

static int is_letter(char c)
{
	return c && strchr("depncy", c) != NULL;
}

/* s: behind a backslash. Where an escape ends that may stand for a letter of the word. NULL: none
 * is there. */
static const char *escape_end(const char *s, const char *end)
{
	static const char letters[] = "64\0" "65\0" "70\0" "6e\0" "6E\0" "63\0" "79\0";
	const char *p = s + 1;

	if (p < end && *s == 'N' && *p == '{') {
		p = memchr(p, '}', (size_t)(end - p));
		return p ? p + 1 : NULL;
	}
	while (p < end && (*p == '0' || *p == '{'))
		p++;
	if (s >= end || (*s != 'u' && *s != 'U') || p == s + 1 || end - p < 2 ||
	    !list_has_n(letters, p, 2))
		return NULL;
	p += 2;
	return p < end && *p == '}' ? p + 1 : p;
}

/* 1: an escape stands beside a letter of the word, or beside another escape. */
static int has_escape(const char *text, const char *end)
{
	for (const char *p = text; (p = memchr(p, '\\', (size_t)(end - p))) != NULL; p++) {
		const char *behind = escape_end(p + 1, end);

		if (behind && ((p > text && is_letter(p[-1])) ||
		               (behind < end && (is_letter(*behind) || *behind == '\\'))))
			return 1;
	}
	return 0;
}

/* 1: the word begins here in pieces, as arguments of a macro that pastes. */
static int is_in_pieces(const char *s, const char *end)
{
	for (size_t at = 0, n; (n = asks_word_length(s, end)) != 0; at += n) {
		if (n > sizeof the_word - 1 - at || memcmp(s, the_word + at, n) != 0)
			return 0;
		if (at + n == sizeof the_word - 1)
			return at != 0;
		for (s += n; s < end && (asks_is_blank(*s) || *s == ',' || *s == '#'); s++)
			;
	}
	return 0;
}

/* One of two pieces has one of these parts. */
static int has_pieces(const char *text, const char *end)
{
	if (!memmem(text, (size_t)(end - text), "depen", 5) &&
	    !memmem(text, (size_t)(end - text), "dency", 5))
		return 0;
	for (const char *p = text; (p = memchr(p, *the_word, (size_t)(end - p))) != NULL; p++)
		if ((p == text || !asks_is_word(p[-1])) && is_in_pieces(p, end))
			return 1;
	return 0;
}

/* 1: a backslash joins two lines within what may be the word. */
static int is_split(const char *text, size_t n)
{
	const char *end = text + n;

	for (const char *p = text; (p = memchr(p, '\\', (size_t)(end - p))) != NULL; p++) {
		const char *behind = asks_skip_blanks(p + 1, end);

		if (p > text && is_letter(p[-1]) && behind + 1 < end && *behind == '\n' &&
		    is_letter(behind[1]))
			return 1;
	}
	return 0;
}

/* The pragma's name begins at s. */
static int name_asks(const struct reading *r, const char *s, char close)
{
	const char *p = s;

	while (p < r->end && *p != close && *p != '\n' && *p != '\\')
		p++;
	/* Quotes in a string have a backslash. */
	if (p == s || p == r->end || *p == '\n' ||
	    (*p == '\\' && (p + 1 == r->end || p[1] != close)))
		return 1;
	return !r->asked || r->asked(r->of, s, (size_t)(p - s));
}

/* The line of s begins there, with all lines that are joined to it. */
static const char *line_begin(const char *text, const char *s)
{
	for (const char *p = s; p > text; p--)
		if (p[-1] == '\n') {
			const char *last = p - 1;

			while (last > text && asks_is_blank(last[-1]))
				last--;
			if (last == text || last[-1] != '\\')
				return p;
		}
	return text;
}

/* 1: the word ending at s is an argument in the line of an owner. */
static int is_argument(const char *line, const char *s)
{
	const char *word = s - (sizeof the_word - 1);

	while (word > line && asks_is_blank(word[-1]))
		word--;
	return word > line && (word[-1] == '(' || word[-1] == ',') &&
	       (asks_seek(line, word, "GCC") || asks_seek(line, word, "clang"));
}

/* 1: a macro may bring the word ending at s behind its owner. */
static int may_move(const struct reading *r, const char *s)
{
	const char *line = line_begin(r->text, s);

	return r->makes || asks_seek(line, s, "define") || is_argument(line, s);
}

/* The pragma's word ends at s. owned: its owner stands in front of it. */
static int word_asks(const struct reading *r, const char *s, int owned, int in_string)
{
	if (!owned && may_move(r, s))
		return 1;
	s = asks_skip_gap(s, r->end);
	if (s < r->end && *s == '"')
		return name_asks(r, s + 1, '"');
	if (s < r->end && *s == '<' && owned)
		return name_asks(r, s + 1, '>');
	/* A macro may stand for the name, and this text for a part of the pragma. */
	return owned && (!in_string || (s < r->end && asks_is_word(*s)));
}

/* The string of a _Pragma begins with the pragma. */
static int string_asks(const struct reading *r, const char *s, const char *stop)
{
	struct reading inside = *r;
	size_t n;

	inside.end = stop;
	s = asks_skip_gap(s, stop);
	n = asks_word_length(s, stop);
	if (!is_owner(s, n))
		return 0;
	s = asks_skip_gap(s + n, stop);
	n = asks_word_length(s, stop);
	return asks_word_is(s, n, the_word) && word_asks(&inside, s + n, 1, 1);
}

/* Comments, strings and code are not told apart. */
static int part_asks(const struct reading *r, const char *s, const char *stop)
{
	struct reading inside = *r;
	int owned = 0;

	inside.end = stop;
	for (size_t n; (n = asks_next_word(&s, stop)) != 0; s += n) {
		if (asks_word_is(s, n, the_word) && word_asks(&inside, s + n, owned, 0))
			return 1;
		owned = is_owner(s, n);
	}
	return 0;
}

/* 1: what looks like a comment may be the middle of <a//b>, or its end is not clear to a compiler
 * without one of both kinds of comments. */
static int is_doubtful(const char *text, const char *s, const char *stop)
{
	const char *line = line_begin(text, s);

	return (s[1] == '/' && asks_seek(s + 1, stop, "/*")) ||
	       (memchr(line, '<', (size_t)(s - line)) &&
	        memchr(s, '>', (size_t)(asks_line_end(s, stop) - s)));
}

/* 1: a header's name ends with the backslash of a quoted text. */
static int ends_early(const char *text, const char *s, const char *stop)
{
	return asks_seek(s, stop - 1, "\\\"") && memchr(line_begin(text, s), '#',
	                                                (size_t)(s - line_begin(text, s)));
}

static int has_any(const char *letters, const char *s, const char *stop)
{
	for (; s < stop; s++)
		if (strchr(letters, *s))
			return 1;
	return 0;
}

/* 1: what follows in the line of a raw string is not clear, as C of before 2011 has none. */
static int is_doubtful_raw(const struct reading *r, const char *quote, const char *stop)
{
	if (r->joined)
		return 1;
	return has_any("\"'\n", quote + 1, stop - 1) &&
	       (asks_seek(quote, stop, "/*") ||
	        has_any("/\"'\\", stop, asks_line_end(stop, r->end)));
}

/* Passes a comment or a quoted text at s. Returns its end; NULL: the text is not understood. */
static const char *pass_other(const struct reading *r, const char *text, const char *s, int *asks)
{
	const char *stop = asks_skip_other(s, r->end);

	if (*s == '/')
		return stop && !is_doubtful(text, s, stop) ? stop : NULL;
	if (!stop) /* a compiler, too, ends it with the line */
		return asks_line_end(s, r->end);
	if (ends_early(text, s, stop))
		return NULL;
	*asks = *s == '"' && string_asks(r, s + 1, stop - 1);
	return stop;
}

/* 1, 0, or -1: the text is not understood. */
static int code_asks(struct reading *r, const char *text)
{
	/* In C, a quote ends a number. */
	const struct asks any = {.words = 0};
	const char *s = text, *stop;
	int owned = 0, asks = 0;

	for (; s < r->end && !asks; s = stop) {
		size_t n = asks_word_length(s, r->end);

		stop = s + 1;
		if (n) {
			stop = asks_skip_word(&any, s, n, r->end);
			if (!stop || (stop > s + n && is_doubtful_raw(r, s + n, stop)))
				return -1;
			asks = asks_word_is(s, n, the_word) ? word_asks(r, stop, owned, 0)
			                                    : part_asks(r, s + n, stop);
			owned = is_owner(s, n);
			r->makes |= list_has_n(operators, s, n);
		} else if (*s == '"' || *s == '\'' ||
		           (*s == '/' && stop < r->end && (*stop == '/' || *stop == '*'))) {
			owned = owned && *s == '/';
			stop = pass_other(r, text, s, &asks);
			if (!stop)
				return -1;
		} else {
			owned = owned && (asks_is_blank(*s) || *s == '\n' || *s == '\\');
		}
	}
	return asks;
}

/* clang ends a line there. */
static int has_return(const char *text, const char *end)
{
	for (const char *p = text; (p = memchr(p, '\r', (size_t)(end - p))) != NULL; p++)
		if (p + 1 == end || p[1] != '\n')
			return 1;
	return 0;
}

/* A precompiled header holds any bytes, and the texts of its macros whole. Its own pragmas have
 * been obeyed. */
static int is_precompiled(const char *text, size_t n)
{
	return text_kind(text, n) == TEXT_PRECOMPILED;
}

/* 1: the word stands behind "GCC" or "clang". */
static int is_owned(const char *s, const char *stop)
{
	int owned = 0;

	for (size_t n; (n = asks_next_word(&s, stop)) != 0; s += n) {
		if (owned && asks_word_is(s, n, the_word))
			return 1;
		owned = is_owner(s, n);
	}
	return 0;
}

/* --- public, in header order --- */

int dependency_near(const char *text, size_t n)
{
	return memmem(text, n, the_word, sizeof the_word - 1) != NULL || is_split(text, n) ||
	       (!is_precompiled(text, n) &&
	        (has_escape(text, text + n) || has_pieces(text, text + n)));
}

int dependency_in(const char *text, size_t n, struct arena *arena,
                  int (*asked)(void *of, const char *name, size_t n), void *of)
{
	struct reading r = {.asked = asked, .of = of};
	size_t whole = n;
	int rc = -1;

	if (is_precompiled(text, n))
		return is_owned(text, text + n);
	text = asks_joined(arena, text, &n);
	if (!text)
		return 1;
	r.text = text;
	r.end = text + n;
	r.joined = n != whole;
	if (has_escape(text, r.end) || has_pieces(text, r.end))
		return 1;
	/* Trigraphs: a compiler may or may not know them. */
	if (!asks_seek(text, r.end, "?\?/") && !asks_seek(text, r.end, "?\?'") &&
	    !has_return(text, r.end))
		rc = code_asks(&r, text);
	if (rc >= 0)
		return rc;
	r.makes = memmem(text, n, "_Pragma", 7) || memmem(text, n, "__pragma", 8);
	return part_asks(&r, text, r.end);
}

int dependency_maps(const char *path)
{
	return path_ends(path, ".hmap") || path_ends(path, "/header.gcc");
}
