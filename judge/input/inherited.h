/* judge/input/inherited.h - what a tool inherits from the process that starts it, and a script
 * below the tool can see: open descriptors above 2, ignored signals and blocked signals.
 *
 * Compilers do not look at these. A shell does: `>&5`, `read <&5`, and a trap for an ignored signal
 * has no effect. So where a script took part, they are an input. A script that used an inherited
 * descriptor is not stored, since a replay neither reads from it nor writes to it.
 *
 * Constructor of a tool and its supervisor only. */
#ifndef JUDGE_INPUT_INHERITED_H
#define JUDGE_INPUT_INHERITED_H

#include "judge/input/collect.h"

/* Looks at what this process has inherited, once for a start: before a supervisor changes any of
 * it. */
void inherited_look(struct start *s);
/* Adds the input if a script took part, or refuses. */
void collect_inherited(struct collect *k);
/* 1: this process has inherited the same. 0: the start's detail says what differs. */
int inherited_holds(struct start *s, const struct input *in);
/* 1: the signal was ignored when this process started. */
int inherited_ignores(int sig);

/* What standard output and error are, as an input of a result.
 *
 * A compiler colours its messages, and cuts them to a width. So it asks whether it writes to a
 * terminal, and how wide the terminal is. A run that wrote nothing has the same result for any
 * streams, so its candidate has no such input. A run of gcc, clang or a linker that wrote to one
 * stream depends on the state of that stream. Any other run depends on both streams. A run that
 * wrote to both also depends on whether they share one order. There are two exceptions: tools whose
 * outputs may hold the answer (driver_outputs_show_streams()), and unknown tools, whose key holds
 * the state. THREAD. */

/* Adds the state of the streams that the run wrote to. REASON_NONE, or the reason why the result
 * cannot be stored. */
enum reason judge_stream_state(struct start *s, struct candidate *c, const struct result *r);
/* The digest of what both streams are. -1: the key holds it, or memory is refused. */
int stream_state_now(struct start *s, struct digest *out);
/* 1: the streams are now as the input says. 0: the start's detail says what differs. */
int stream_state_holds(struct start *s, const struct input *in);

/* Tests whether a file that a start uses is behind standard output or error.
 * It uses start->streams.file, which stream_files() fills (action/stream_files.c). */

/* 1 and a detail that names the path: a stream writes to this file. */
int stream_files_include(struct start *s, const struct statx *st, const char *path);
/* As stream_files_include(), for a path. */
int stream_files_at(struct start *s, const char *path);
/* 1 and a detail: a stream writes to a file that is an input of the candidate. */
int stream_files_read(struct start *s, const struct candidate *c);

#endif
