/* tools/comment_lines.c - writes the lines of a comment-free form, and passes comments. */
#include <string.h>

#include "tools/comment_parts.h"
#include "tools/comment_lex.h"
#include "tools/comment_lines.h"
#include "tools/comment_words.h"

#include "shim/banned.h"

/* Bytes of a comment that need a look: controls, bytes outside ASCII, and these. */
static const unsigned char looked_at[256] = {
	[0 ... 8] = 1, [10 ... 0x1f] = 1, ['/'] = 1, ['f'] = 1, ['F'] = 1, [0x7f ... 0xff] = 1};

void comment_real_newlines(struct comment_text *t)
{
	/* gcc includes a file from the line where its directive ends, and -g3 records it. */
	if (t->tokens && t->directive)
		t->join = NULL;
	for (unsigned char *o = t->join; o && o < t->out; o++)
		if (*o == COMMENT_JOIN)
			*o = '\n';
	t->join = NULL;
}

static void begin_line(struct comment_text *t, const unsigned char *at)
{
	t->line = t->kept = at;
	t->first = NULL;
	t->out_line = t->out_kept = t->out;
	t->on_line = t->comment = t->feeds = t->glued = 0;
}

void comment_keep(struct comment_text *t, const unsigned char *to)
{
	size_t n = (size_t)(to - t->p);
	const unsigned char *newline = memrchr(t->p, '\n', n);

	if (!t->first)
		t->first = t->p;
	memcpy(t->out, t->p, n);
	t->out += n;
	t->p = to;
	if (newline) {
		const unsigned char *first = newline + 1;

		begin_line(t, first);
		t->out_line = t->out - (to - first);
		while (first < to && comment_is_blank(*first))
			first++;
		t->first = first < to ? first : NULL;
	}
	t->out_kept = t->out;
	t->kept = to;
	t->on_line = 1;
}

void comment_token(struct comment_text *t, const unsigned char *to)
{
	if (t->join && !t->tokens)
		comment_real_newlines(t);
	t->join = NULL;
	t->tokens = 1;
	t->value = !t->directive && to[-1] == '=';
	comment_keep(t, to);
}

/* The indentation, and a mark: gcc looks for a line's first byte, but not at its last byte. */
static void comment_only(struct comment_text *t, const unsigned char *end)
{
	size_t indent = (size_t)(t->first - t->line);

	memcpy(t->out_line, t->line, indent);
	t->out = t->out_line + indent;
	*t->out++ = COMMENT_MARK;
	if (t->first + 1 < end)
		*t->out++ = COMMENT_MARK;
}

void comment_line_end(struct comment_text *t, const unsigned char *at, int newline)
{
	const unsigned char *end = at > t->line && at[-1] == '\r' ? at - 1 : at;

	if (t->feeds && t->comment)
		comment_unclear(t);
	if (!t->on_line && t->first) {
		comment_only(t, end);
	} else if (end - t->line >= COMMENT_LONG) {
		t->out -= end < at;
	} else {
		t->out = t->out_kept;
		if (t->on_line && t->kept < end && t->first + 1 == t->kept)
			*t->out++ = COMMENT_MARK;
	}
	if (end < at)
		*t->out++ = '\r';
	t->p = at;
	/* blanks without a newline: clang warns of a text that does not end in one */
	if (!newline && t->out == t->out_line && at > t->line)
		*t->out++ = COMMENT_MARK;
	if (!newline)
		return;
	if (newline < 0 && !t->join)
		t->join = t->out;
	*t->out++ = newline < 0 ? COMMENT_JOIN : '\n';
	t->p = at + 1;
	begin_line(t, t->p);
	if (newline < 0)
		return;
	comment_real_newlines(t);
	t->tokens = 0;
	t->directive = DIRECTIVE_NONE;
}

const unsigned char *comment_joined(const unsigned char *p, const unsigned char *end)
{
	for (p++; p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r' && *p != '\n')); p++)
		;
	return p < end && *p == '\n' ? p : NULL;
}

int comment_splice(struct comment_text *t)
{
	const unsigned char *newline = comment_joined(t->p, t->end);
	int glued = t->p == t->line || !comment_is_blank(t->p[-1]);

	if (!newline || newline + 1 == t->end || t->directive == DIRECTIVE_NAME)
		return 0;
	if (glued && comment_is_word(newline[1]))
		comment_part_says(t);
	comment_keep(t, newline + 1);
	t->on_line = 0;
	t->glued = glued;
	if (t->directive == DIRECTIVE_IF)
		comment_condition(t, t->p);
	return 1;
}

static int is_long(const unsigned char *line, const unsigned char *end)
{
	const unsigned char *newline = memchr(line, '\n', (size_t)(end - line));

	return (newline ? newline : end) - line >= COMMENT_LONG;
}

static int says_fall(const unsigned char *p, const unsigned char *end)
{
	return end - p >= 4 && (p[1] | 32) == 'a' && (p[2] | 32) == 'l' && (p[3] | 32) == 'l';
}

/* The newline at p, or the end of the text, follows a backslash. */
static int is_joined(const unsigned char *p, const unsigned char *from)
{
	while (p > from && (p[-1] == ' ' || (p[-1] >= '\t' && p[-1] <= '\r' && p[-1] != '\n')))
		p--;
	return p > from && p[-1] == '\\';
}

static int begins_with_hash(const unsigned char *p, const unsigned char *end)
{
	while (p < end && comment_is_blank(*p))
		p++;
	return p < end && *p == '#';
}

/* A byte of looked_at inside a comment that began at t->p: 1 the comment stays. */
static int is_significant(struct comment_text *t, const unsigned char *q)
{
	switch (*q) {
	case '/':
		return q + 1 < t->end && q[1] == '*';
	case 'f':
	case 'F':
		return says_fall(q, t->end);
	case '\r': /* a newline follows */
		return 0;
	default:
		return 1;
	}
}

/* Behind the end of the block comment at p. *stay: it stays. *lines: it has a newline. */
static const unsigned char *block_end(struct comment_text *t, int *stay, int *lines)
{
	const unsigned char *q = t->p + 2, *begin = q, *line = t->line;

	for (*stay = *lines = 0; q < t->end; q++) {
		if (!looked_at[*q])
			continue;
		if (*q == '\n') {
			int joined = is_joined(q, begin);

			*lines = 1;
			*stay |= q - line >= COMMENT_LONG || joined ||
			         begins_with_hash(q + 1, t->end);
			t->doubts |= joined ? COMMENT_JOINED : 0;
			line = q + 1;
		} else if (*q == '/' && q > begin && q[-1] == '*') {
			*stay |= is_long(line, t->end);
			return q + 1;
		} else {
			/* a joined line may divide the end of a comment */
			if (*q == '/' && q > begin && q[-1] == '\n' && is_joined(q - 1, begin))
				break;
			*stay |= is_significant(t, q);
		}
	}
	comment_unclear(t);
	return t->end;
}

/* The comment's last line, or its only one: a token may follow. */
static void write_marks(struct comment_text *t, const unsigned char *to)
{
	const unsigned char *p = t->p;

	while (!t->first && p < to && comment_is_blank(*p))
		*t->out++ = *p++;
	if (!t->first && p < to)
		t->first = p;
	for (; p < to; p++)
		*t->out++ = *p == '\t' ? '\t' : COMMENT_MARK;
	t->p = to;
	t->comment = 1;
}

void comment_block(struct comment_text *t)
{
	int stay, lines;
	const unsigned char *to = block_end(t, &stay, &lines), *newline;

	if (lines && t->directive == DIRECTIVE_TEXT)
		comment_unclear(t);
	if (stay) {
		comment_keep(t, to);
		return;
	}
	while (lines && (newline = memchr(t->p, '\n', (size_t)(to - t->p))) != NULL) {
		const unsigned char *p = t->p;

		while (!t->first && p < newline && (comment_is_blank(*p) || *p == '\r'))
			p++;
		if (!t->first && p < newline)
			t->first = p;
		t->comment = 1;
		comment_line_end(t, newline, -1);
	}
	write_marks(t, to);
}

void comment_line(struct comment_text *t)
{
	const unsigned char *newline = memchr(t->p, '\n', (size_t)(t->end - t->p));
	const unsigned char *to = newline ? newline : t->end;
	int stay = to - t->line >= COMMENT_LONG;

	if (is_joined(to, t->p)) {
		comment_unclear(t);
		return;
	}
	if (to > t->p && to[-1] == '\r')
		to--;
	for (const unsigned char *q = t->p + 2; q < to && !stay; q++)
		stay = looked_at[*q] && is_significant(t, q);
	if (stay) {
		comment_keep(t, to);
		return;
	}
	if (!t->first)
		t->first = t->p;
	t->comment = 1;
	t->p = to;
}
