/* judge/stream_files.h - is a file the one behind standard output or error? Of start->stream_file, which
 * stream_files() fills (action/stream_files.h). THREAD. */
#ifndef JUDGE_STREAM_FILES_H
#define JUDGE_STREAM_FILES_H

#include "judge/start.h"

/* "output" or "error". */
const char *stream_file_name(int fd);
/* 1: a stream writes to a regular file. */
int stream_files_any(const struct start *a);
/* 1: this is the file of a stream. */
int start_writes_stream(const struct start *a, const struct statx *st);
/* The same with a detail that names the path. */
int stream_files_meet(struct start *a, const struct statx *st, const char *path);
/* The same of a path. */
int stream_files_at(struct start *a, const char *path);
/* 1 and a detail: the file is one of those that the candidate was read from. */
int stream_files_read(struct start *a, const struct candidate *c);

#endif
