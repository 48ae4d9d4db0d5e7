/* tools/python_process.h - whether a text waits at once for a process that it started.
 *
 * Two processes that run at the same time, or a process and its parent, may act in any order. So a
 * process counts as waited for only if nothing else runs before the wait. Pure code. THREAD. */
#ifndef TOOLS_PYTHON_PROCESS_H
#define TOOLS_PYTHON_PROCESS_H

#include "tools/python_reader.h"

/* t: an attribute of a process. 1: it is a call of wait or communicate whose arguments call
 * nothing. */
int python_waits(const struct python_token *t);
/* The statement at token `from` gives a process to a value; its last token is before `end`. 1: the
 * value goes to one name, and the next statement of the same block begins with the wait. */
int python_waits_next(const struct python_reader *r, size_t from, size_t end);

#endif
