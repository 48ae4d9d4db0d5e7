/* tools/python_tokens.h - the tokens of a text in Python. Indentation is none: the rules of
 * tools/python_text.h hold for each statement alone. Pure code. THREAD. */
#ifndef TOOLS_PYTHON_TOKENS_H
#define TOOLS_PYTHON_TOKENS_H

#include <stddef.h>

#include "shim/arena.h"

enum python_token_type {
	PYTHON_END, PYTHON_NEWLINE, PYTHON_NAME, PYTHON_NUMBER, PYTHON_OPERATOR,
	PYTHON_STRING,    /* of a formatted one: the text between fields */
	/* An f-string: BEGIN, then fields (FIELD, tokens, FIELD_END) and strings, then DONE. */
	PYTHON_FORMATTED, PYTHON_FIELD, PYTHON_FIELD_END, PYTHON_DONE
};
struct python_token {
	enum python_token_type type;
	/* In the text. Of a string: what stands between the quotes. */
	const char *s;
	size_t n;
	int escapes; /* a string that holds a backslash */
};
struct python_tokens {
	struct python_token *v;
	size_t count, cap;
	const char *refused; /* why the text is not read, or NULL */
};

/* The text ends with NUL and holds no other. Memory: the arena. */
void python_tokens(struct python_tokens *t, const char *text, struct arena *a);
int python_is(const struct python_token *t, const char *word);

#endif
