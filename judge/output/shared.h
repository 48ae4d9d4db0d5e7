/* judge/output/shared.h - outputs that another process writes as well.
 *
 * A tool that writes in place does not notice a second writer, and the file may hold bytes of both.
 * Seen are another recorded tool or a replay (store/writers.h), any process that still has the file
 * open to write it (a lease is refused then), and a change after the tool's end. Not seen is a
 * process that is not recorded, opens the file after the tool did, and closes it before the tool
 * ends. */
#ifndef JUDGE_OUTPUT_SHARED_H
#define JUDGE_OUTPUT_SHARED_H

#include "judge/start.h"
#include "trace/files.h"

/* 1: another process may have written bytes of the output. fd: open to read it; st: its state
 * before it was read. Costs six system calls. THREAD. */
int output_is_shared(struct start *s, const struct tree_file *f, int fd, const struct statx *st);

#endif
