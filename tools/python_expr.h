/* tools/python_expr.h - expressions: what kind of value each has, and that each use is allowed.
 * Pure code. THREAD. */
#ifndef TOOLS_PYTHON_EXPR_H
#define TOOLS_PYTHON_EXPR_H

#include "tools/python_reader.h"

/* An expression up to a comma. */
struct python_value python_expression(struct python_reader *r);
/* Expressions with commas between them: a tuple. */
struct python_value python_list(struct python_reader *r);
/* A name with what follows it. */
struct python_value python_primary(struct python_reader *r);
/* The kind of the elements of a value that a loop goes through. */
enum python_kind python_iterated(struct python_reader *r, const struct python_value *v);

#endif
