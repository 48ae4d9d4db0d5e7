/* tools/dependency.c - looks for the word "dependency" behind "GCC" or "clang", or in front of a
 * string. */
#include "tools/dependency.h"

#include <string.h>

#include "shim/path.h"
#include "tools/asks_words.h"

#include "shim/banned.h"

static const char the_word[] = "dependency";

struct reading {
	const char *end;
	int (*asked)(void *of, const char *name, size_t n);
	void *of;
};

static int is_owner(const char *word, size_t n)
{
	return asks_word_is(word, n, "GCC") || asks_word_is(word, n, "clang");
}

/* 1: a backslash joins two lines within what may be the word. */
static int is_split(const char *text, size_t n)
{
	static const char letters[] = "depncy";
	const char *end = text + n;

	for (const char *p = text; (p = memchr(p, '\\', (size_t)(end - p))) != NULL; p++) {
		const char *behind = asks_skip_blanks(p + 1, end);

		if (p > text && memchr(letters, p[-1], sizeof letters - 1) && behind + 1 < end &&
		    *behind == '\n' && memchr(letters, behind[1], sizeof letters - 1))
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

/* The pragma's word ends at s. owned: its owner stands in front of it. */
static int word_asks(const struct reading *r, const char *s, int owned, int in_string)
{
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
	struct reading inside = {stop, r->asked, r->of};
	size_t n;

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
	struct reading inside = {stop, r->asked, r->of};
	int owned = 0;

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
	const char *line = s;

	while (line > text && line[-1] != '\n')
		line--;
	return (s[1] == '/' && asks_seek(s + 1, stop, "/*")) ||
	       (memchr(line, '<', (size_t)(s - line)) &&
	        memchr(s, '>', (size_t)(asks_line_end(s, stop) - s)));
}

/* Passes a comment or a quoted text at s. Returns its end; NULL: the text is not understood. */
static const char *pass_other(const struct reading *r, const char *text, const char *s, int *asks)
{
	const char *stop = asks_skip_other(s, r->end);

	if (*s == '/')
		return stop && !is_doubtful(text, s, stop) ? stop : NULL;
	if (!stop) /* a compiler, too, ends it with the line */
		return asks_line_end(s, r->end);
	*asks = *s == '"' && string_asks(r, s + 1, stop - 1);
	return stop;
}

/* 1, 0, or -1: the text is not understood. */
static int code_asks(const struct reading *r, const char *text)
{
	const struct asks any = {.words = ASKS_CXX};
	const char *s = text, *stop;
	int owned = 0, asks = 0;

	for (; s < r->end && !asks; s = stop) {
		size_t n = asks_word_length(s, r->end);

		stop = s + 1;
		if (n) {
			stop = asks_skip_word(&any, s, n, r->end);
			if (!stop)
				return -1;
			asks = asks_word_is(s, n, the_word) ? word_asks(r, stop, owned, 0)
			                                    : part_asks(r, s + n, stop);
			owned = is_owner(s, n);
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

/* --- public, in header order --- */

int dependency_near(const char *text, size_t n)
{
	return memmem(text, n, the_word, sizeof the_word - 1) != NULL || is_split(text, n);
}

int dependency_in(const char *text, size_t n, struct arena *arena,
                  int (*asked)(void *of, const char *name, size_t n), void *of)
{
	struct reading r = {NULL, asked, of};
	int rc = -1;

	text = asks_joined(arena, text, &n);
	if (!text)
		return 1;
	r.end = text + n;
	/* Trigraphs: a compiler may or may not know them. */
	if (!asks_seek(text, r.end, "?\?/") && !asks_seek(text, r.end, "?\?'"))
		rc = code_asks(&r, text);
	return rc < 0 ? part_asks(&r, text, r.end) : rc;
}

int dependency_maps(const char *path)
{
	return path_ends(path, ".hmap") || path_ends(path, "/header.gcc");
}
