/* tools/python_brackets.h - lists, tuples, sets, dictionaries and comprehensions. Pure code.
 * THREAD. */
#ifndef TOOLS_PYTHON_BRACKETS_H
#define TOOLS_PYTHON_BRACKETS_H

#include "tools/python_reader.h"

/* The rules of the grammar for the expressions in brackets (tools/python_expr.c). */
struct python_rules {
	struct python_value (*expression)(struct python_reader *r);
	struct python_value (*test)(struct python_reader *r); /* without if and else */
};
/* Behind the first element of a comprehension, at `for`. */
void python_comprehension(struct python_reader *r, const struct python_rules *g);
/* [ ], or ( ) behind the bracket, up to `close`. */
struct python_value python_sequence(struct python_reader *r, const struct python_rules *g,
                                    const char *close);
/* { } behind the brace: a dictionary or a set. */
struct python_value python_braces(struct python_reader *r, const struct python_rules *g);

#endif
