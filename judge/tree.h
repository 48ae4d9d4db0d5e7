/* judge/tree.h - what a tool's process tree did, file by file, read from its trace.
 *
 * The order of records is the order of events. Rules: read before it was made here: an input;
 * made here and still there: an output; both: not cacheable; made and removed: nobody's business.
 * THREAD; all memory in the arena. */
#ifndef JUDGE_TREE_H
#define JUDGE_TREE_H

#include "judge/tree_file.h"

/* bytes: a whole trace file (shim/trace.h) of n bytes. main_pid: the recorded tool, which must have said
 * hello. */
void tree_read(struct tree *t, const void *bytes, size_t n, uint32_t main_pid, const char *jobserver, struct arena *a);

#endif
