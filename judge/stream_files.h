/* judge/stream_files.h - tests whether a file that a start uses is behind standard output or error.
 * It uses start->streams.file, which stream_files() fills (action/stream_files.h). THREAD. */
#ifndef JUDGE_STREAM_FILES_H
#define JUDGE_STREAM_FILES_H

#include "judge/start.h"

/* 1 and a detail that names the path: a stream writes to this file. */
int stream_files_include(struct start *s, const struct statx *st, const char *path);
/* As stream_files_include(), for a path. */
int stream_files_at(struct start *s, const char *path);
/* 1 and a detail: a stream writes to a file that is an input of the candidate. */
int stream_files_read(struct start *s, const struct candidate *c);

#endif
