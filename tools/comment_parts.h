/* tools/comment_parts.h - a text while its form is written. Used by comment_free.c, comment_lex.c,
 * comment_lines.c and comment_words.c alone. Pure code. THREAD. */
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
	int diagnostic; /* the text has a word that may turn on warnings */
	/* The last token is "=", or a string behind it: no pragma takes such a string, since macros
	 * keep or drop both together. */
	int value;
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

#endif
