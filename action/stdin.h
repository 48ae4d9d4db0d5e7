/* action/stdin.h - standard input that argv names as a source. */
#ifndef ACTION_STDIN_H
#define ACTION_STDIN_H

#include "judge/start.h"

/* Looks at standard input without taking bytes from it. The real tool may run and read it until
 * action_stdin_consume() or action_stdin_leave(). Fills source. Returns REASON_NONE or a
 * bypass. */
enum reason action_stdin(struct start *s);
/* Adds standard input to the key. */
void action_stdin_key(struct start *s);
/* For a FILE or PIPE: opens a separate descriptor with the same bytes for a recorded tool. Other
 * readers of our standard input do not disturb it. Returns -errno on failure. */
int action_stdin_open(const struct stdin_source *s);
/* Call it after the tool's end. Leaves standard input where the tool left its own. Returns 1 if the
 * tool read everything. */
int action_stdin_leave(const struct stdin_source *s, int fd);
/* Call it after a replay. Leaves standard input at its end. */
void action_stdin_consume(const struct stdin_source *s);
/* Returns 1 if the file behind standard input changed since before the run. */
int action_stdin_changed(const struct stdin_source *s);

#endif
