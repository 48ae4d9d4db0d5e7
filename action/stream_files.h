/* action/stream_files.h - the files behind stdout and stderr: whether they are one file, and
 * whether the tool itself reads or writes them.
 *
 * Two descriptors of one open file, and two that both append to one, are written in the order of
 * the calls: one pipe records that order (one_stream). Two descriptions of one file without
 * O_APPEND overwrite each other, and so does a tool that opens a stream's file under its name:
 * the bytes then depend on when each part was written, which no result holds. Such a start runs
 * for real.
 *
 * Memory: none, but a detail in the action's arena. */
#ifndef ACTION_STREAM_FILES_H
#define ACTION_STREAM_FILES_H

#include "judge/start.h"

/* Sets one_stream and stream_file, or says why the tool must run for real. After action_command().
 * Constructor of a tool only. */
enum reason stream_files(struct start *a);

#endif
