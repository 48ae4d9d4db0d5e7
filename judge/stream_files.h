/* judge/stream_files.h - tests whether a file is behind standard output or error. It uses
 * start->stream_file, which stream_files() fills (action/stream_files.h). THREAD. */
#ifndef JUDGE_STREAM_FILES_H
#define JUDGE_STREAM_FILES_H

#include "judge/start.h"

/* "output" or "error". */
const char *stream_file_name(int fd);
/* 1: a stream writes to a regular file. */
int stream_files_any(const struct start *s);
/* 1: a stream writes to this file. */
int start_writes_stream(const struct start *s, const struct statx *st);
/* As start_writes_stream(), with a detail that names the path. */
int stream_files_meet(struct start *s, const struct statx *st, const char *path);
/* As stream_files_meet(), for a path. */
int stream_files_at(struct start *s, const char *path);
/* 1 and a detail: a stream writes to a file that is an input of the candidate. */
int stream_files_read(struct start *s, const struct candidate *c);

#endif
