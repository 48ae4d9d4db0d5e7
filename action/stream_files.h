/* action/stream_files.h - the files behind stdout and stderr: whether they are one, and whether the tool itself reads
 * or writes them.
 *
 * Two descriptors of one open file, and two that both append to one, are written in the order of the calls: one
 * pipe records that order (one_stream). Two descriptions of one file without O_APPEND overwrite each other, and a
 * tool that has a stream's file open under a name mixes both: what is left is a matter of when each part was
 * written, which no result holds. Such a start runs for real.
 *
 * Memory: none, but a detail in the action's arena. */
#ifndef ACTION_STREAM_FILES_H
#define ACTION_STREAM_FILES_H

#include "action/action.h"

/* Sets one_stream and stream_file, or says why the tool must run for real. The command line is known by now.
 * Constructor of a tool only. */
enum reason stream_files(struct action *a);
/* THREAD. 1: this is the file of a stream. */
int stream_files_are(const struct action *a, const struct statx *st);
/* The same of a path, with a detail. */
int stream_files_at(struct action *a, const char *path);
/* THREAD. 1 and a detail: one of the files that the candidate was read from is. */
int stream_files_read(struct action *a, const struct candidate *c);

#endif
