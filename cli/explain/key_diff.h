/* cli/explain/key_diff.h - how two keys differ. TOOL. */
#ifndef CLI_EXPLAIN_KEY_DIFF_H
#define CLI_EXPLAIN_KEY_DIFF_H

#include <stdio.h>

#include "shim/arena.h"

/* Prints how the fields of two keys differ, one indented line each. Returns the
 * number of lines. */
int cli_key_diff(FILE *to, const void *old_fields, size_t old_len, const void *new_fields,
                   size_t new_len, struct arena *a);

#endif
