/* judge/stream_state.h - what standard output and error are, as an input of a result.
 *
 * A compiler colours its messages, and cuts them to a width. So it asks whether it writes to a
 * terminal, and how wide the terminal is. A run that wrote nothing has the same result for any
 * streams, so its candidate has no such input. A run of gcc, clang or a linker that wrote to one
 * stream depends on the state of that stream. Any other run depends on both streams. A run that
 * wrote to both also depends on whether they share one order. There are two exceptions: tools whose
 * outputs may hold the answer (driver_outputs_show_streams()), and unknown tools, whose key holds
 * the state. THREAD. */
#ifndef JUDGE_STREAM_STATE_H
#define JUDGE_STREAM_STATE_H

#include "judge/start.h"

/* Adds the state of the streams that the run wrote to. REASON_NONE, or the reason why the result
 * cannot be stored. */
enum reason judge_stream_state(struct start *s, struct candidate *c, const struct result *r);
/* The digest of what both streams are. -1: the key holds it, or memory is refused. */
int stream_state_now(struct start *s, struct digest *out);
/* 1: the streams are now as the input says. 0: the start's detail says what differs. */
int stream_state_holds(struct start *s, const struct input *in);

/* Tests whether a file that a start uses is behind standard output or error.
 * It uses start->streams.file, which stream_files() fills (action/stream_files.h). */

/* 1 and a detail that names the path: a stream writes to this file. */
int stream_files_include(struct start *s, const struct statx *st, const char *path);
/* As stream_files_include(), for a path. */
int stream_files_at(struct start *s, const char *path);
/* 1 and a detail: a stream writes to a file that is an input of the candidate. */
int stream_files_read(struct start *s, const struct candidate *c);

#endif
