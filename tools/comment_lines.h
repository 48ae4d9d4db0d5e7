/* tools/comment_lines.h - the lines of the form. Pure code. THREAD. */
#ifndef TOOLS_COMMENT_LINES_H
#define TOOLS_COMMENT_LINES_H

#include "tools/comment_parts.h"

/* Writes bytes that stay, up to `to`, whatever they are. */
void comment_keep(struct comment_text *t, const unsigned char *to);
/* The same, for a token. */
void comment_token(struct comment_text *t, const unsigned char *to);
/* Ends the physical line at p. newline: 1 a newline, 0 the end of the text, -1 a newline inside a
 * comment. */
void comment_line_end(struct comment_text *t, const unsigned char *at, int newline);
/* Ends of lines inside comments, since the last token, count as real ends of lines. */
void comment_real_newlines(struct comment_text *t);
/* The newline behind the backslash at p. NULL: a byte other than a blank is between them. */
const unsigned char *comment_joined(const unsigned char *p, const unsigned char *end);
/* Passes a backslash and the newline behind it, if they stand here: 1. */
int comment_splice(struct comment_text *t);
/* Passes the comment that begins here. */
void comment_block(struct comment_text *t);
void comment_line(struct comment_text *t);

#endif
