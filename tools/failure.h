/* tools/failure.h - failures that come from a tool's input alone, so that they may be stored.
 *
 * A tool may fail for want of memory, of room on a disk, or of permission. Such a failure is not
 * that of the next run. So only messages of a known form count, and each of them has to.
 * docs/internals/drivers.md has the forms. Pure. THREAD. */
#ifndef TOOLS_FAILURE_H
#define TOOLS_FAILURE_H

#include <stddef.h>

#include "tools/tool.h"

/* 1: such a failure may be known. 0: no failure of the tool is ever stored. */
int failure_may_be_known(const struct tool_row *row);
/* 1: the tool ended with this status because of its input. text: all its messages. */
int failure_is_of_input(const struct tool_row *row, int status, const char *text, size_t n);

#endif
