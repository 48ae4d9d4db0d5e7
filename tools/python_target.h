/* tools/python_target.h - targets: the names that an assignment or a loop gives a value. Pure code.
 * THREAD. */
#ifndef TOOLS_PYTHON_TARGET_H
#define TOOLS_PYTHON_TARGET_H

#include "tools/python_reader.h"

/* Names up to `in`, `=` or `:`; each of several gets an element. */
void python_targets(struct python_reader *r, enum python_kind kind);
/* Behind `for`: targets, `in`, and the expression whose elements they get. */
void python_targets_in(struct python_reader *r,
                       struct python_value (*expression)(struct python_reader *r));

#endif
