/* action/stdin.h - standard input, which argv names as a source. */
#ifndef ACTION_STDIN_H
#define ACTION_STDIN_H

#include "judge/start.h"

/* Looks at it and takes nothing from it: until action_stdin_consume() or action_stdin_settle() the real tool may run and
 * read it. Fills source. REASON_NONE or a bypass. */
enum reason action_stdin(struct start *a);
/* Enters it into the key. */
void action_stdin_key(struct start *a);
/* For a FILE or PIPE: a descriptor of its own for a recorded tool, with those bytes whoever else reads from
 * ours. -errno. */
int action_stdin_open(struct start *a);
/* After that tool's end: leaves standard input where the tool left its own. 1 when it read everything. */
int action_stdin_settle(struct start *a, int fd);
/* After a replay: leaves it at its end. */
void action_stdin_consume(struct start *a);
/* 1 when the file behind it is not what it was before the run. */
int action_stdin_changed(struct start *a);

#endif
