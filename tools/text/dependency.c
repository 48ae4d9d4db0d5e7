/* tools/text/dependency.c - looks for what may stand behind "GCC" or "clang", the owners of the
 * pragma: the word "dependency", or something that may become it. */
#include "tools/text/dependency.h"

#include <string.h>


#include "shim/list.h"
#include "tools/asks/words.h"
#include "tools/cmdline/language.h"

#include "shim/banned.h"

static const char the_word[] = "dependency";
static const char owners[] = "GCC\0clang\0";
/* The owners' other pragmas. */
static const char others[] =
	"arc_cf_code_audited\0assume_nonnull\0attribute\0deprecated\0diagnostic\0error\0final\0"
	"force_cuda_host_device\0fp\0ivdep\0loop\0max_tokens_here\0max_tokens_total\0module\0"
	"novector\0optimize\0poison\0pop_options\0push_options\0reset_options\0"
	"restrict_expansion\0section\0system_header\0target\0unroll\0unsafe_buffer_usage\0"
	"visibility\0warning\0";

struct reading {
	const char *text, *end;
	int joined; /* lines were joined, within raw strings, too */
};

static int is_owner(const char *word, size_t n)
{
	return list_has_n(owners, word, n);
}

/* No directive is longer. */
#define LINE_MOST 4096

/* The line of s begins there, with all lines that are joined to it; or it is longer. */
static const char *line_begin(const char *text, const char *s)
{
	if (s - text > LINE_MOST)
		text = s - LINE_MOST;
	for (const char *p = s; p > text; p--)
		if (p[-1] == '\n') {
			const char *last = p - 1;

			while (last > text && ascii_blank(last[-1]))
				last--;
			if (last == text || last[-1] != '\\')
				return p;
		}
	return text;
}

/* The name of the directive in this line. Its length; 0: the line is no directive. */
static size_t directive(const char *line, const char *end, const char **name)
{
	const char *p = asks_skip_blanks(line, end);
	size_t mark = p < end && *p == '#' ? 1 : end - p > 1 && memcmp(p, "%:", 2) == 0 ? 2 : 0;

	*name = asks_skip_gap(p + mark, end);
	return mark ? asks_word_length(*name, end) : 0;
}

/* 1: the owner may begin an argument of a macro. */
static int begins_argument(const char *line, const char *owner)
{
	while (owner > line && ascii_blank(owner[-1]))
		owner--;
	return owner == line || strchr("(,/\\\n", owner[-1]) != NULL;
}

/* 1: no other word of a sentence follows. */
static int ends_argument(const char *s, const char *end)
{
	s = asks_skip_blanks(s, end);
	return s == end || strchr("\"<(),\\\n", *s) != NULL;
}

/* 1: the word is a parameter of the macro that is defined from `name` on. */
static int is_parameter(const char *name, const char *end, const char *word, size_t len)
{
	const char *s = name + asks_word_length(name, end), *close;

	if (s == end || *s != '(' || !(close = memchr(s, ')', (size_t)(end - s))))
		return 0;
	for (size_t n; (n = asks_next_word(&s, close)) != 0; s += n)
		if (n == len && memcmp(s, word, n) == 0)
			return 1;
	return 0;
}

static int is_fortran_comment(const char *line, const char *s)
{
	return *asks_skip_blanks(line, s) == '!' && !memchr(line, '(', (size_t)(s - line));
}

/* What may come of an owner without the pragma's word behind it. code: it stands neither in a
 * comment nor in a string. */
static int open_owner(const char *text, const char *owner, size_t len, const char *end, int code)
{
	const char *line = line_begin(text, owner), *stop = end, *name, *next;
	size_t n = directive(line, owner, &name);
	int defines = asks_word_is(name, n, "define"), pragma = asks_word_is(name, n, "pragma");

	if ((n && !defines && !pragma) || is_fortran_comment(line, owner))
		return 0;
	if (n)
		stop = asks_line_end(owner, end);
	next = asks_skip_gap(owner + len, stop);
	if (next == stop)
		return defines ? DEPENDENCY_OPEN : 0;
	n = asks_word_length(next, stop);
	if (!n)
		return strchr(",)#", *next) && begins_argument(line, owner) ? DEPENDENCY_OPEN : 0;
	if (asks_word_is(next, n, the_word) || (*next >= '0' && *next <= '9'))
		return 0;
	if (list_has_n(others, next, n))
		return defines && is_parameter(asks_skip_gap(name + strlen("define"), owner), owner,
		                               next, n) ? DEPENDENCY_OPEN : 0;
	if (pragma || (code && !defines))
		return DEPENDENCY_ASKS;
	return defines || (begins_argument(line, owner) && ends_argument(next + n, end))
	       ? DEPENDENCY_OPEN : 0;
}

/* The pragma's word stands here, and its owner is not in front of it. */
static int alone(const struct reading *r, const char *word, int code)
{
	const char *end = word + sizeof the_word - 1, *line = line_begin(r->text, word), *name;
	size_t n = directive(line, word, &name);

	if (n)
		return asks_word_is(name, n, "define") ? DEPENDENCY_WORD : 0;
	return code || (begins_argument(line, word) && ends_argument(end, r->end)) ?
		DEPENDENCY_WORD : 0;
}

/* 1: the line is a comment from its beginning. */
static int is_comment(const char *text, const char *s)
{
	const char *line = line_begin(text, s), *p = asks_skip_blanks(line, s);

	return s - p > 1 && p[0] == '/' && p[1] == '/' && !asks_seek(p, s, "*/");
}

/* 1: an owner may be open that begins at s, as a part of a text shows. */
static int may_open(const char *text, const char *s, size_t n, const char *end)
{
	const char *next = asks_skip_gap(s + n, end);

	if ((s > text && asks_is_word(s[-1])) || (s + n < end && asks_is_word(s[n])) ||
	    is_comment(text, s))
		return 0;
	next += asks_word_length(next, end);
	return next == end || *next == '\\' || open_owner(text, s, n, end, 1);
}

static int has_open(const char *text, const char *end)
{
	for (const char *o = owners; *o; o = LIST_NEXT(o))
		for (const char *s = text; (s = asks_seek(s, end, o)) != NULL; s++)
			if (may_open(text, s, strlen(o), end))
				return 1;
	return 0;
}

/* 1: the word begins here in pieces, as arguments of a macro that pastes. */
static int is_in_pieces(const char *s, const char *end, const char *word)
{
	size_t len = strlen(word);

	for (size_t at = 0, n; (n = asks_word_length(s, end)) != 0; at += n) {
		const char *behind;

		if (n > len - at || memcmp(s, word + at, n) != 0)
			return 0;
		if (at + n == len)
			return at != 0;
		behind = asks_skip_blanks(s + n, end);
		if (behind == end || (*behind != ',' && *behind != '#'))
			return 0;
		for (s = behind; s < end && (ascii_blank(*s) || *s == ',' || *s == '#'); s++)
			;
	}
	return 0;
}

/* 1: the text has this word in pieces. "c, lang" is left out: these are names of variables. */
static int has_pieces(const char *text, const char *end, const char *word)
{
	for (const char *p = text; (p = memchr(p, *word, (size_t)(end - p))) != NULL; p++)
		if ((p == text || !asks_is_word(p[-1])) &&
		    (*word != 'c' || asks_word_length(p, end) > 1) && is_in_pieces(p, end, word))
			return 1;
	return 0;
}

/* What the words in pieces are. */
static int pieces(const char *text, const char *end)
{
	int flags = 0;

	for (const char *o = owners; *o; o = LIST_NEXT(o))
		flags |= has_pieces(text, end, o) ? DEPENDENCY_OPEN : 0;
	return has_pieces(text, end, the_word) ? flags | DEPENDENCY_WORD : flags;
}

/* 1: a backslash joins two lines within what may be a word that counts. */
static int is_split(const char *text, size_t n)
{
	static const char letters[] = "GCclangdepy";
	const char *end = text + n;

	for (const char *p = text; (p = memchr(p, '\\', (size_t)(end - p))) != NULL; p++) {
		const char *behind = asks_skip_blanks(p + 1, end);

		if (p > text && p[-1] && strchr(letters, p[-1]) && behind + 1 < end &&
		    *behind == '\n' && behind[1] && strchr(letters, behind[1]))
			return 1;
	}
	return 0;
}

/* The string of a _Pragma begins with the pragma. */
static int string_asks(const char *s, const char *stop)
{
	size_t n;

	s = asks_skip_gap(s, stop);
	n = asks_word_length(s, stop);
	if (!is_owner(s, n))
		return 0;
	s = asks_skip_gap(s + n, stop);
	n = asks_word_length(s, stop);
	return asks_word_is(s, n, the_word) && asks_skip_gap(s + n, stop) < stop;
}

/* Flags. Comments, strings and code are not told apart. */
static int part_asks(const struct reading *r, const char *s, const char *stop)
{
	int owned = 0, flags = 0;

	for (size_t n; (n = asks_next_word(&s, stop)) != 0; s += n) {
		if (asks_word_is(s, n, the_word))
			flags |= owned ? DEPENDENCY_ASKS : alone(r, s, 0);
		owned = is_owner(s, n);
		if (owned)
			flags |= open_owner(r->text, s, n, stop, 0);
	}
	return flags;
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
	*asks |= *s == '"' && string_asks(s + 1, stop - 1);
	return stop;
}

/* Flags, or -1: the text is not understood. */
static int code_asks(const struct reading *r, const char *text)
{
	/* In C, a quote ends a number. */
	const struct asks any = {.words = 0};
	const char *s = text, *stop;
	int owned = 0, asks = 0;

	for (; s < r->end && !(asks & DEPENDENCY_ASKS); s = stop) {
		size_t n = asks_word_length(s, r->end);

		stop = s + 1;
		if (n) {
			stop = asks_skip_word(&any, s, n, r->end);
			if (!stop || (stop > s + n && is_doubtful_raw(r, s + n, stop)))
				return -1;
			if (!asks_word_is(s, n, the_word))
				asks |= part_asks(r, s + n, stop);
			else
				asks |= owned ? DEPENDENCY_ASKS : alone(r, s, 1);
			owned = is_owner(s, n);
			if (owned)
				asks |= open_owner(text, s, n, r->end, 1);
		} else if (*s == '"' || *s == '\'' ||
		           (*s == '/' && stop < r->end && (*stop == '/' || *stop == '*'))) {
			owned = owned && *s == '/';
			stop = pass_other(r, text, s, &asks);
			if (!stop)
				return -1;
		} else {
			owned = owned && (ascii_blank(*s) || *s == '\n' || *s == '\\');
		}
	}
	return asks;
}

/* A precompiled header holds any bytes, and the texts of its macros whole. Its own pragmas have
 * been obeyed. */
static int is_precompiled(const char *text, size_t n)
{
	return text_kind(text, n) == TEXT_PRECOMPILED;
}

/* The texts of a precompiled header's macros are whole. Its table of names has both words, with a
 * NUL in front. */
static int precompiled_flags(const char *text, const char *end)
{
	const char *s = text;
	int owned = 0, flags = 0;

	for (size_t n; (n = asks_next_word(&s, end)) != 0; s += n) {
		int inside = s > text && strchr(" (,#\t", s[-1]) && s[-1];

		if (asks_word_is(s, n, the_word))
			flags |= owned ? DEPENDENCY_ASKS : inside ? DEPENDENCY_WORD : 0;
		owned = is_owner(s, n);
		flags |= owned && inside ? DEPENDENCY_OPEN : 0;
	}
	return flags;
}

/* --- public, in header order --- */

int dependency_asks(int flags)
{
	return flags & DEPENDENCY_ASKS || !(~flags & (DEPENDENCY_OPEN | DEPENDENCY_WORD));
}

int dependency_near(const char *text, size_t n)
{
	return memmem(text, n, the_word, sizeof the_word - 1) != NULL || is_split(text, n) ||
	       (!is_precompiled(text, n) &&
	        (has_open(text, text + n) || pieces(text, text + n)));
}

int dependency_in(const char *text, size_t n, struct arena *arena)
{
	struct reading r;
	size_t whole = n;
	int rc = -1, flags;

	if (is_precompiled(text, n))
		return precompiled_flags(text, text + n);
	text = asks_joined(arena, text, &n);
	if (!text)
		return DEPENDENCY_ASKS;
	r.text = text;
	r.end = text + n;
	r.joined = n != whole;
	flags = pieces(text, r.end);
	/* Trigraphs: a compiler may or may not know them. */
	if (!asks_seek(text, r.end, "?\?/") && !asks_seek(text, r.end, "?\?'") &&
	    !asks_has_other_ends(text, r.end))
		rc = code_asks(&r, text);
	return flags | (rc >= 0 ? rc : part_asks(&r, text, r.end));
}
