/* tools/comment_words.c - what words of a text mean for its comments. */
#include <string.h>

#include "tools/comment_parts.h"
#include "tools/comment_lex.h"
#include "tools/comment_lines.h"
#include "tools/comment_words.h"
#include "tools/line_marks.h"
#include "tools/list.h"

#include "shim/banned.h"

/* Pragmas with these may turn on what tools/comment_options.c refuses. Without "-W". */
static const char warnings[] =
	"c90-c99-compat\0" "documentation\0" "everything\0" "implicit-fallthrough=\0"
	"leading-whitespace\0" "traditional\0" "trailing-whitespace\0";

static int holds(const void *s, size_t n, const char *word)
{
	return memmem(s, n, word, strlen(word)) != NULL;
}

static int is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '=';
}

/* A string may end here, also a raw one, or an escape stands here for the next letter. */
static int may_go_on(char c)
{
	return memchr("\"\\?)\n", c, 5) != NULL;
}

/* 1: the text holds such a warning, or "-W" and its first letters at a string's end. A pragma joins
 * adjacent strings, and an escape may stand for any letter or the "-". */
static int names_warning(const char *text, size_t n)
{
	const char *end = text + n;

	for (const char *p = text; (p = memchr(p, 'W', (size_t)(end - p))) != NULL;) {
		int whole = p == text || p[-1] != '-';
		size_t len = 0;

		for (p++; p + len < end && is_of_name(p[len]); len++)
			;
		whole = whole || (p + len < end && !may_go_on(p[len]));
		for (const char *w = warnings; *w; w = LIST_NEXT(w)) {
			size_t all = strlen(w);

			if (memcmp(p, w, len < all ? len : all) == 0 && (len >= all || !whole))
				return 1;
		}
	}
	return 0;
}

enum comment_directive comment_directive_of(struct comment_text *t, const unsigned char *word,
                                            size_t n)
{
	static const char conditions[] = "elif\0" "if\0";
	static const char includes[] = "import\0" "include\0" "include_next\0";
	/* #embed reads data. #line gives lines of another file to diagnostics. */
	static const char odd[] = "embed\0" "line\0";
	static const char texts[] = "error\0" "ident\0" "pragma\0" "sccs\0" "warning\0";
	const char *s = (const char *)word;

	if ((*word >= '0' && *word <= '9') || list_has_n(odd, s, n))
		t->kind = COMMENT_VOID;
	if (list_has_n(includes, s, n))
		return DIRECTIVE_INCLUDE;
	if (list_has_n(texts, s, n))
		return DIRECTIVE_TEXT;
	return list_has_n(conditions, s, n) ? DIRECTIVE_IF : DIRECTIVE_OTHER;
}

static int digit_of(char c, int base)
{
	return c >= '0' && c <= '7'             ? c - '0'
	       : base == 16 && c >= '8' && c <= '9' ? c - '0'
	       : base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : base == 16 && c >= 'A' && c <= 'F' ? c - 'A' + 10
	                                            : -1;
}

/* 1: an escape stands for a byte of a warning's name: "\127" is W. A pragma in a string has its
 * escapes behind two backslashes. */
static int escapes_name(const char *text, size_t n)
{
	const char *end = text + n;

	for (const char *p = text; (p = memchr(p, '\\', (size_t)(end - p))) != NULL; p++) {
		unsigned value = 0;
		int base = 8, digits = 3, digit;

		if (p + 2 >= end)
			return 0;
		if (memchr("xuUNo", p[1], 5)) {
			p++;
			base = 16;
			digits = *p == 'U' ? 8 : 4;
			if (p[1] == '{')
				return 1;
		}
		for (; digits-- && p + 1 < end && (digit = digit_of(p[1], base)) >= 0; p++)
			value = value * (unsigned)base + (unsigned)digit;
		if (value < 0x80 && (is_of_name((char)value) || value == 'W'))
			return 1;
	}
	return 0;
}

/* 1: a listed warning begins so. */
static int is_first_part(const char *s, size_t n)
{
	for (const char *w = warnings; *w; w = LIST_NEXT(w))
		if (n <= strlen(w) && memcmp(s, w, n) == 0)
			return 1;
	return 0;
}

/* What follows blanks and comments; a directive ends with its line. */
static const char *skip_gap(const char *p, const char *end, int directive)
{
	while (p < end && (memchr(" \t\r", *p, 3) || (*p == '\n' && !directive) || *p == '/')) {
		const char *stop = p + 1;

		if (*p == '/' && end - p > 1 && p[1] == '/')
			stop = memchr(p, '\n', (size_t)(end - p));
		else if (*p == '/' && end - p > 1 && p[1] == '*')
			stop = memmem(p + 2, (size_t)(end - p) - 2, "*/", 2);
		else if (*p == '/')
			break;
		p = !stop ? end : *p == '/' && *stop == '*' ? stop + 2 : stop;
	}
	return p;
}

/* 1: a string that goes on in the next one may begin a warning: "-" "Wall". A directive's last
 * string does not go on in the next line. */
static int begins_warning(const char *s, size_t n, const char *end, int directive)
{
	const char *after = s + n, *raw = n > 2 && s[n - 2] == ')' ? memchr(s, '(', n) : NULL;
	const char *text = (raw ? raw : s) + 1, *last = after - (raw ? 2 : 1);

	if (text >= last || *text != '-' || (text + 1 < last && text[1] != 'W') ||
	    (text + 2 < last && !is_first_part(text + 2, (size_t)(last - text) - 2)))
		return 0;
	after = skip_gap(after, end, directive);
	return after < end && memchr("\"LRUu/\\", *after, 7) != NULL;
}

/* 1: a pragma in a string, which joins strings of its own. */
static int joins_strings(const char *s, size_t n)
{
	size_t quotes = 0;

	for (const char *p = s, *end = s + n; (p = memchr(p, '"', (size_t)(end - p))) != NULL; p++)
		quotes++;
	return quotes > 4 && holds(s, n, "diagnostic");
}

void comment_literal_says(struct comment_text *t, const unsigned char *literal, size_t n)
{
	const char *s = (const char *)literal;

	if (names_warning(s, n) || escapes_name(s, n) || joins_strings(s, n) ||
	    begins_warning(s, n, (const char *)t->end, t->directive != DIRECTIVE_NONE))
		t->kind = COMMENT_VOID;
}

static const char diagnostic[] = "diagnostic";

int comment_word_diagnostic(const char *text, size_t n)
{
	return holds(text, n, diagnostic);
}

static int is_word_byte(char c)
{
	return comment_is_word((unsigned char)c) || c == '$' || (unsigned char)c >= 0x80;
}

/* The tokens at p, behind the word "diagnostic", may turn on a warning. Those of a macro's
 * argument or replacement may come from elsewhere. "ignored", "push" and "pop" turn on nothing. */
static int may_turn_on(const char *p, const char *end)
{
	static const char harmless[] = "ignored\0" "pop\0" "push\0";
	size_t n = 0;

	if (p < end && is_word_byte(*p))
		return 0; /* another word */
	while (p < end && memchr(" \t\r\f\v", *p, 5))
		p++;
	while (p + n < end && is_word_byte(p[n]))
		n++;
	return n ? !list_has_n(harmless, p, n) : p == end || memchr("\n\\/#%,)", *p, 7) != NULL;
}

/* The place is in the list of parameters of a `#define` on its line. */
static int is_parameter(const char *line, const char *at)
{
	static const char define[] = "define";

	while (line < at && memchr(" \t#", *line, 3))
		line++;
	if ((size_t)(at - line) < sizeof define || memcmp(line, define, sizeof define - 1) != 0)
		return 0;
	for (line += sizeof define - 1; line < at && memchr(" \t", *line, 2);)
		line++;
	while (line < at && is_word_byte(*line))
		line++;
	return line < at && *line == '(' && !memchr(line, ')', (size_t)(at - line));
}

/* A pragma may be made of tokens, as in `_Pragma(#x)`, and so from parts that name no warning:
 * WARN(-Wtraditional). But one of its tokens is "diagnostic". */
void comment_run_says(struct comment_text *t, const unsigned char *run, size_t n)
{
	const char *p = (const char *)run, *end = p + n, *line = (const char *)t->line;
	const size_t len = sizeof diagnostic - 1;

	for (; (p = memmem(p, (size_t)(end - p), diagnostic, len)) != NULL; p += len)
		if ((p == line || !is_word_byte(p[-1])) &&
		    may_turn_on(p + len, (const char *)t->end) && !is_parameter(line, p))
			t->kind = COMMENT_VOID;
}

void comment_part_says(struct comment_text *t)
{
	const unsigned char *word = t->p;
	size_t n;

	while (word > t->line && comment_is_word(word[-1]))
		word--;
	n = (size_t)(t->p - word);
	if (n && n < sizeof diagnostic - 1 && memcmp(word, diagnostic, n) == 0)
		t->kind = COMMENT_VOID;
}

/* 1: the text has `word` around the word's rare letter, which is at `at`. A search for rare letters
 * is faster than one for words. */
static int is_around(const char *text, size_t n, const char *at, const char *word, size_t letter)
{
	size_t before = (size_t)(at - text), len = strlen(word);

	return before >= letter && len - letter <= n - before &&
	       memcmp(at - letter, word, len) == 0;
}

/* 1: `.include` stands here. `.includes` and `.include_path` are members of objects. */
static int includes(const char *text, size_t n, const char *at)
{
	static const char directive[] = ".include";
	const char *behind = at + sizeof directive - 1;

	return is_around(text, n, at, directive, 0) &&
	       (behind == text + n || !is_word_byte(*behind));
}

int comment_words_say(const char *text, size_t n)
{
	const char *end = text + n;

	for (const char *p = text; (p = memchr(p, 'b', (size_t)(end - p))) != NULL; p++)
		if (is_around(text, n, p, "incbin", 3) || is_around(text, n, p, "__has_embed", 8))
			return 1;
	for (const char *p = text; (p = memchr(p, '.', (size_t)(end - p))) != NULL; p++)
		if (includes(text, n, p))
			return 1;
	return 0;
}

/* A directive of this name may stand here: before it stands "#" in one of its spellings, a comment
 * or a joined line. */
static int may_be_directive(const char *text, const char *at)
{
	while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at > text && memchr("#:=/\n", at[-1], 5);
}

/* 1: `GCC diagnostic` or `clang diagnostic` stands here, and does not only ignore. */
static int turns_on(const char *text, const char *at, const char *end)
{
	const char *p = at;

	while (p > text && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	return p < at && ((p - text >= 3 && memcmp(p - 3, "GCC", 3) == 0) ||
	                  (p - text >= 5 && memcmp(p - 5, "clang", 5) == 0)) &&
	       may_turn_on(at + sizeof diagnostic - 1, end);
}

int comment_words_may_say(const char *text, size_t n)
{
	if (names_warning(text, n) || escapes_name(text, n))
		return 1;
	for (const char *p = text, *end = text + n;
	     (p = memmem(p, (size_t)(end - p), diagnostic, sizeof diagnostic - 1)) != NULL; p++)
		if (turns_on(text, p, end))
			return 1;
	for (const char *p = text, *end = text + n;
	     (p = memmem(p, (size_t)(end - p), "embed", 5)) != NULL; p++)
		if (may_be_directive(text, p))
			return 1;
	return line_marks_in(text, n);
}

/* The end of a directive that begins here: joined lines are one. */
static const unsigned char *directive_end(const unsigned char *from, const unsigned char *end)
{
	for (const unsigned char *p = from;; p++) {
		const unsigned char *last;

		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return end;
		last = p > from && p[-1] == '\r' ? p - 1 : p;
		while (last > from && memchr(" \t\f\v", last[-1], 4))
			last--;
		if (last == from || last[-1] != '\\')
			return p;
	}
}

void comment_condition(struct comment_text *t, const unsigned char *from)
{
	const unsigned char *end = directive_end(from, t->end);
	const unsigned char *name = memchr(from, '<', (size_t)(end - from)), *last;
	size_t n;

	last = name ? memrchr(name, '>', (size_t)(end - name)) : NULL;
	if (!last)
		return;
	n = (size_t)(last - name);
	if (holds(name, n, "//") || holds(name, n, "/*") || holds(name, n, "/\\") ||
	    memchr(name, '\'', n) || memchr(name, '"', n))
		comment_unclear(t);
}
