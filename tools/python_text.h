/* tools/python_text.h - what a text in Python may depend on.
 *
 * A text is read only if everything in it is known (tools/python_names.h). Then its actions follow
 * from its arguments, the variables that it names, and what a trace shows. Nothing that differs
 * between two runs (addresses, the order of sets, the time, ids) reaches anything that it does.
 * Everything else is refused: classes, lambda, generators, decorators, functions as values, and
 * other modules. Pure code. THREAD. */
#ifndef TOOLS_PYTHON_TEXT_H
#define TOOLS_PYTHON_TEXT_H

#include <stddef.h>

#include "shim/arena.h"
#include "tools/python_reader.h"

/* text: without NUL but its last. imported: other texts import it. Returns NULL, or why the text is
 * refused. The answer, and what is found, last as long as the arena. */
const char *python_text(const char *text, int imported, const struct python_found *found,
                        struct arena *a);

#endif
