/* judge/permissions.h - what access(2) answered is an input: INPUT_PRESENT with TRACE_ASKED and
 * TRACE_GRANTED of shim/trace.h above the type. THREAD. */
#ifndef JUDGE_PERMISSIONS_H
#define JUDGE_PERMISSIONS_H

#include "judge/collect.h"

/* Asks the same questions now. The answers: TRACE_ASKED as in `asked`, and TRACE_GRANTED. */
unsigned permissions_of(const char *path, unsigned asked);
/* Adds the input for a file that the tree asked for permissions, unless another input of the file
 * holds them. 1: it did. */
int collect_permissions(struct collect *k, const struct tree_file *f);

#endif
