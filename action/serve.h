/* action/serve.h - a tool serves itself: key, look up, replay; else record. Constructor of a tool only. */
#ifndef ACTION_SERVE_H
#define ACTION_SERVE_H

#include "action/action.h"

/* nested: below a recording tool whose trace is attached (action/nest.h); a bypass is then traced as any process there.
 * NESTED_WATCHED: the user's settings take this tool out; its command line is still read for what events cannot say. */
enum nested { NESTED_NOT, NESTED_STEP, NESTED_WATCHED };
/* Returns in the process that shall run the tool's main: at once for a bypass, in the forked child for
 * a miss. Never returns for a hit or in the supervisor. refused: why it is only counted and logged,
 * a bypass; else REASON_NONE. */
void action_serve(const struct tool_row *row, const char *exe, const char *execfn, int argc,
                  char **argv, char **envp, struct settings *set, struct arena *arena, int nested,
                  enum reason refused);

#endif
