/* tools/comment_lex.h - one step through a text. Pure code. THREAD. */
#ifndef TOOLS_COMMENT_LEX_H
#define TOOLS_COMMENT_LEX_H

#include "tools/comment_parts.h"

/* Passes a token or more, blanks, a comment, or the end of a line. */
void comment_step(struct comment_text *t);

#endif
