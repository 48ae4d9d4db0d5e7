/* action/stdin.h - standard input, which argv names as a source. */
#ifndef ACTION_STDIN_H
#define ACTION_STDIN_H

#include "action/action.h"

/* Looks at it and takes nothing from it: until action_stdin_consume() or action_stdin_settle() the real tool may run and
 * read it. Fills source. REASON_NONE or a bypass. */
enum reason action_stdin(struct action *a);
/* Enters it into the key. */
void action_stdin_key(struct action *a);
/* For a FILE or PIPE: a descriptor of its own for a recorded tool, with those bytes whoever else reads from
 * ours. -errno. */
int action_stdin_open(struct action *a);
/* After that tool's end: leaves standard input where the tool left its own. 1 when it read everything. */
int action_stdin_settle(struct action *a, int fd);
/* After a replay: leaves it at its end. */
void action_stdin_consume(struct action *a);
/* 1 when the file behind it is not what it was before the run. */
int action_stdin_changed(struct action *a);

#endif
