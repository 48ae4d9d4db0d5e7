/* tools/comment_lex.c - reads a text as the lexers of gcc and clang do, as far as comments are
 * concerned. */
#include <string.h>

#include "tools/comment_parts.h"
#include "tools/comment_lex.h"
#include "tools/comment_lines.h"
#include "tools/comment_words.h"

#include "shim/banned.h"

/* Bytes that end a run of token bytes. */
static const unsigned char ends_run[256] = {
	['\n'] = 1, ['\t'] = 1, [' '] = 1, ['\f'] = 1, ['\v'] = 1, ['\r'] = 1, ['/'] = 1,
	['"'] = 1, ['\''] = 1, ['\\'] = 1, ['#'] = 1, ['%'] = 1};
static const unsigned char in_literal[256] = {
	['\n'] = 1, ['"'] = 1, ['\''] = 1, ['\\'] = 1};

/* Behind the literal that begins at p. Both lexers let one without an end reach to the end of its
 * line, also in text that they skip. */
static const unsigned char *literal_end(struct comment_text *t)
{
	const unsigned char *q = t->p + 1, *newline;
	const unsigned char quote = *t->p;

	for (; q < t->end; q++) {
		if (!in_literal[*q])
			continue;
		if (*q == quote)
			return q + 1;
		if (*q == '\n')
			break;
		if (*q != '\\' || q + 1 == t->end)
			continue;
		newline = comment_joined(q, t->end);
		/* an escape that goes on behind a joined line, or blanks before a newline */
		if (newline ? newline - q > 1 + (q[1] == '\r')
		            : q[1] == '\\' && comment_joined(q + 1, t->end))
			comment_unclear(t);
		q = newline ? newline : q + 1;
	}
	if (q > t->end)
		q = t->end;
	return q[-1] == '\r' ? q - 1 : q;
}

/* The word directly before p, on the same line; *n is its length. */
static const unsigned char *word_before(const struct comment_text *t, size_t *n)
{
	const unsigned char *w = t->p;

	while (w > t->line && comment_is_word(w[-1]))
		w--;
	*n = (size_t)(t->p - w);
	return w;
}

/* The word at w, which a quote follows, may be the end of a longer token. */
static int is_continued(const struct comment_text *t, const unsigned char *w)
{
	unsigned char c = w > t->line ? w[-1] : ' ';

	if (w == t->line)
		return t->glued;
	if ((c == '+' || c == '-') && w - 1 > t->line)
		return memchr("eEpP", w[-2], 4) != NULL;
	return c == '.' || c == '$' || c == '\'' || c == '"' || c == '\\' || c >= 0x80;
}

static int is_raw_prefix(const unsigned char *w, size_t n)
{
	return (n == 1 && memcmp(w, "R", 1) == 0) || (n == 2 && memcmp(w, "LR", 2) == 0) ||
	       (n == 2 && memcmp(w, "uR", 2) == 0) || (n == 2 && memcmp(w, "UR", 2) == 0) ||
	       (n == 3 && memcmp(w, "u8R", 3) == 0);
}

/* The delimiter's length; -1: the literal is not raw, or malformed. */
static int raw_delimiter(const struct comment_text *t)
{
	for (int n = 0; n <= 16 && t->p + 1 + n < t->end; n++) {
		unsigned char c = t->p[1 + n];

		if (c == '(')
			return n;
		if (c <= ' ' || c == ')' || c == '\\' || c == '"' || c >= 0x7f)
			break;
	}
	return -1;
}

static void raw_string(struct comment_text *t)
{
	int n = raw_delimiter(t);
	unsigned char close[18];
	const unsigned char *end = NULL;

	if (n >= 0) {
		close[0] = ')';
		memcpy(close + 1, t->p + 1, (size_t)n);
		close[n + 1] = '"';
		end = memmem(t->p, (size_t)(t->end - t->p), close, (size_t)n + 2);
	}
	if (!end || (t->directive && memchr(t->p, '\n', (size_t)(end - t->p)))) {
		comment_unclear(t);
		return;
	}
	end += n + 2;
	comment_literal_says(t, t->p, (size_t)(end - t->p));
	comment_token(t, end);
}

/* `#include "x"`: no escapes. */
static void header_name(struct comment_text *t, unsigned char close)
{
	const unsigned char *newline = memchr(t->p, '\n', (size_t)(t->end - t->p));
	size_t n = (size_t)((newline ? newline : t->end) - t->p);
	const unsigned char *end = n > 1 ? memchr(t->p + 1, close, n - 1) : NULL;

	n = end ? (size_t)(end - t->p) : 0;
	/* The lexer takes <a//b> for a name, and in a group that it skips for a comment. */
	if (!end || memchr(t->p, '\\', n) ||
	    (close == '>' && (memmem(t->p, n, "//", 2) || memmem(t->p, n, "/*", 2) ||
	                      memchr(t->p, '"', n) || memchr(t->p, '\'', n)))) {
		comment_unclear(t);
		return;
	}
	t->directive = DIRECTIVE_OTHER;
	comment_token(t, end + 1);
}

static void string(struct comment_text *t)
{
	size_t n;
	const unsigned char *w = word_before(t, &n), *end;
	const int value = t->value;

	if (t->directive == DIRECTIVE_INCLUDE) {
		header_name(t, '"');
		return;
	}
	if (is_raw_prefix(w, n) || (n == 0 && w == t->line && t->glued)) {
		if (is_continued(t, w)) {
			comment_unclear(t);
			return;
		}
		t->doubts |= READING_RAW;
		if (t->reading & READING_RAW) {
			raw_string(t);
			return;
		}
	}
	end = literal_end(t);
	if (!value)
		comment_literal_says(t, t->p, (size_t)(end - t->p));
	comment_token(t, end);
	t->value = value;
}

/* A character constant, or a separator of digits. */
static void apostrophe(struct comment_text *t)
{
	size_t n;
	const unsigned char *w = word_before(t, &n);
	int digits = n && *w >= '0' && *w <= '9';
	int more = n && w > t->line && w - 1 == t->digit_mark;
	int odd = w > t->line && (w[-1] == '$' || w[-1] == '\\' || w[-1] >= 0x80);

	if (odd || (w == t->line && t->glued) || (n && !digits && !more && is_continued(t, w))) {
		comment_unclear(t);
		return;
	}
	if ((digits || more) && t->p + 1 < t->end && comment_is_word(t->p[1])) {
		t->doubts |= READING_DIGITS;
		if (t->reading & READING_DIGITS) {
			t->digit_mark = t->p;
			comment_token(t, t->p + 1);
			return;
		}
	}
	comment_token(t, literal_end(t));
}

/* "#" or "%:" at the beginning of a logical line. */
static int begins_directive(struct comment_text *t)
{
	size_t n = *t->p == '#' ? 1 : 2;

	if (t->tokens)
		return 0;
	if (n == 2 && (t->p + 1 == t->end || t->p[1] != ':')) {
		if (t->p + 1 < t->end && t->p[1] == '\\')
			comment_unclear(t);
		return 0;
	}
	comment_token(t, t->p + n);
	t->directive = DIRECTIVE_NAME;
	return 1;
}

static void directive_name(struct comment_text *t)
{
	const unsigned char *q = t->p;

	while (q < t->end && comment_is_word(*q))
		q++;
	if (q < t->end && *q == '\\' && q > t->p)
		comment_unclear(t);
	t->directive = DIRECTIVE_OTHER;
	if (q == t->p)
		return;
	t->directive = comment_directive_of(t, t->p, (size_t)(q - t->p));
	if (t->directive == DIRECTIVE_IF)
		comment_condition(t, q);
	comment_token(t, q);
}

static void run(struct comment_text *t)
{
	const unsigned char *q = t->p + 1;

	if (t->directive == DIRECTIVE_INCLUDE) {
		if (*t->p == '<') {
			header_name(t, '>');
			return;
		}
		t->directive = DIRECTIVE_OTHER;
	}
	/* with blanks between: fewer steps */
	while (q < t->end && (!ends_run[*q] || (*q == ' ' && q + 1 < t->end && !ends_run[q[1]])))
		q++;
	if (t->diagnostic && t->directive != DIRECTIVE_TEXT)
		comment_run_says(t, t->p, (size_t)(q - t->p));
	comment_token(t, q);
}

static void slash(struct comment_text *t)
{
	unsigned char next = t->p + 1 < t->end ? t->p[1] : ' ';

	if (next == '/')
		comment_line(t);
	else if (next == '*')
		comment_block(t);
	else if (next == '\\')
		comment_unclear(t);
	else
		comment_token(t, t->p + 1);
}

void comment_step(struct comment_text *t)
{
	switch (*t->p) {
	case '\n':
		comment_line_end(t, t->p, 1);
		return;
	case ' ':
	case '\t':
	case '\r': /* a newline follows */
		*t->out++ = *t->p++;
		return;
	case '\f':
	case '\v':
		comment_keep(t, t->p + 1);
		t->feeds = 1;
		return;
	case '/':
		slash(t);
		return;
	case '\\':
		if (!comment_splice(t))
			comment_unclear(t);
		return;
	default:
		break;
	}
	if (t->directive == DIRECTIVE_NAME) {
		const unsigned char *p = t->p;

		directive_name(t);
		if (t->p > p)
			return;
	}
	switch (*t->p) {
	case '"':
		string(t);
		return;
	case '\'':
		apostrophe(t);
		return;
	case '#':
	case '%':
		if (!begins_directive(t))
			comment_token(t, t->p + 1);
		return;
	default:
		run(t);
	}
}
