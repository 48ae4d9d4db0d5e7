/* tools/comment_parts.h - inside of comment_free.c, comment_lex.c, comment_lines.c and
 * comment_words.c: a text while its form is written. Pure code. THREAD. */
#ifndef TOOLS_COMMENT_PARTS_H
#define TOOLS_COMMENT_PARTS_H

#include <stddef.h>

#include "tools/comment_free.h"

enum comment_directive {
	DIRECTIVE_NONE,
	DIRECTIVE_NAME,    /* behind the "#" */
	DIRECTIVE_INCLUDE, /* behind "include" */
	DIRECTIVE_IF,
	DIRECTIVE_TEXT,    /* #error, #warning, #pragma: clang may take the line as it is */
	DIRECTIVE_OTHER
};

struct comment_text {
	const unsigned char *p, *end;
	const unsigned char *line;  /* beginning of the physical line */
	const unsigned char *first; /* its first byte that is no blank; NULL: none so far */
	const unsigned char *kept;  /* behind its last byte that stays */
	unsigned char *out, *out_line, *out_kept; /* the same places of the form */
	unsigned char *join;        /* first COMMENT_JOIN since the last token, or NULL */
	const unsigned char *digit_mark; /* the last separator of digits */
	enum comment_directive directive;
	int tokens;   /* the logical line has a token */
	int on_line;  /* the physical line has a byte that stays */
	int comment;  /* it has a comment that does not stay */
	int feeds;    /* it has a form feed or a vertical tab */
	int glued;    /* it continues a word of the line before */
	unsigned reading, doubts;
	enum comment_kind kind;
};

static inline int comment_is_blank(unsigned char c) { return c == ' ' || c == '\t'; }
static inline int comment_is_word(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* The text has no form. */
static inline void comment_unclear(struct comment_text *t)
{
	if (t->kind == COMMENT_FREE)
		t->kind = COMMENT_BYTES;
}

/* comment_lex.c: passes a token or more, blanks, a comment, or the end of a line. */
void comment_step(struct comment_text *t);

/* comment_lines.c: writes bytes that stay, up to `to`, whatever they are. */
void comment_keep(struct comment_text *t, const unsigned char *to);
/* The same, for a token. */
void comment_token(struct comment_text *t, const unsigned char *to);
/* Ends the physical line at p. newline: 1 a newline, 0 the end of the text, -1 a newline inside a
 * comment. */
void comment_line_end(struct comment_text *t, const unsigned char *at, int newline);
/* The ends of lines inside comments, since the last token, are ends of lines. */
void comment_real_newlines(struct comment_text *t);
/* The newline behind the backslash at p, NULL if anything else than blanks is between. */
const unsigned char *comment_joined(const unsigned char *p, const unsigned char *end);
/* Passes a backslash and the newline behind it, if they stand here: 1. */
int comment_splice(struct comment_text *t);
/* Passes the comment that begins here. */
void comment_block(struct comment_text *t);
void comment_line(struct comment_text *t);

/* comment_words.c: the behaviour that a directive's name announces. */
enum comment_directive comment_directive_of(struct comment_text *t, const unsigned char *word,
                                            size_t n);
/* Notes what a string literal says. */
void comment_literal_says(struct comment_text *t, const unsigned char *s, size_t n);
/* 1: words of the text make the compiler read files as data. */
int comment_words_say(const char *text, size_t n);
/* 1: any word of the text could do what comment_directive_of() and comment_literal_says() find. */
int comment_words_may_say(const char *text, size_t n);
/* A condition with __has_include: a header's name in it may look like a comment. */
void comment_condition(struct comment_text *t, const unsigned char *from);

#endif
