/* trace/tree.h - the effects of a tool's process tree on each file, read from its trace.
 *
 * The order of records is the order of events. A file that the tree read before making it is an
 * input. A file that the tree made and left is an output. A file that is both is not cacheable. A
 * file that the tree made and removed counts as absent before, because the tree would have removed
 * an existing file. A file with a generated name does not count. THREAD; all memory in the
 * arena. */
#pragma once

#include "trace/files.h"

/* bytes: a complete trace file (shim/trace.h) of n bytes. main_pid: the recorded tool, which must
 * have reported (TRACE_HELLO). wrappers: the setting REPRISE_WRAPPERS, or NULL. */
void tree_read(struct tree *t, const void *bytes, size_t n, uint32_t main_pid,
               const char *jobserver, const char *wrappers, struct arena *a);
