/* action/stream_files.h - the files behind stdout and stderr: whether both are one file, and
 * whether the tool itself reads or writes them.
 *
 * Two descriptors of one open file are written in the order of the calls. So are two descriptors
 * that both append to one file. One pipe records that order (one_stream).
 *
 * Two descriptions of one file without O_APPEND overwrite each other. So does a tool that opens a
 * stream's file by its name. The bytes then depend on the time of each write, which no result
 * holds. Such a start runs for real.
 *
 * Memory: none, but a detail in the action's arena. */
#ifndef ACTION_STREAM_FILES_H
#define ACTION_STREAM_FILES_H

#include "judge/start.h"

/* Sets one_stream and stream_file, or returns why the tool must run for real. st[1], st[2]: what
 * the streams are (STATX_BASIC_STATS); zero for a terminal and a closed one. Call it after
 * action_command(). Constructor of a tool only. */
enum reason stream_files(struct start *s, const struct statx st[3]);

#endif
