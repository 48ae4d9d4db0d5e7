/* tools/python_argument.h - whether a text looks into its arguments.
 *
 * An argument may hold a name that another program generated, such as /tmp/ccXXXXXX.s. A text that
 * passes its arguments on, or compares whole arguments, does the same for any such name. A text
 * that takes letters of an argument may not. Pure code. THREAD. */
#ifndef TOOLS_PYTHON_ARGUMENT_H
#define TOOLS_PYTHON_ARGUMENT_H

#include "tools/python_tokens.h"

/* 1: the text may look at a part of an argument. imported: other texts call its functions, and pass
 * arguments to them. The text must be one that tools/python_text.h reads. */
int python_looks_into_arguments(const struct python_tokens *t, int imported, struct arena *a);

#endif
