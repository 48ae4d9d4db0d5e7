/* judge/output/shared.h - outputs that another process writes as well.
 *
 * A tool that writes in place does not notice a second writer, and the file may hold bytes of both.
 * Seen are any process that still has the file open to write it when the tool has ended, a change
 * after that, and a recorded tool or replay that found this tool's file open (store/writers.h). Not
 * seen is another program that opens and closes the file in between. */
#ifndef JUDGE_OUTPUT_SHARED_H
#define JUDGE_OUTPUT_SHARED_H

#include "judge/start.h"
#include "trace/files.h"

/* 1: another process may have written bytes of the output. fd: open to read it; st: its state
 * before it was read. Costs six system calls. THREAD. */
int output_is_shared(struct start *s, const struct tree_file *f, int fd, const struct statx *st);

#endif
