/* tools/python_argument.h - whether a text looks into its arguments.
 *
 * An argument may hold a name that another program generated, such as /tmp/ccXXXXXX.s. A text that
 * passes its arguments on, or compares them as wholes, does the same for any such name. One that
 * takes letters of them may not. Pure code. THREAD. */
#ifndef TOOLS_PYTHON_ARGUMENT_H
#define TOOLS_PYTHON_ARGUMENT_H

#include "tools/python_tokens.h"

/* 1: the text may look at a part of an argument. imported: its functions get arguments of others.
 * What the text may hold at all is known (tools/python_text.h). */
int python_looks_into_arguments(const struct python_tokens *t, int imported, struct arena *a);

#endif
