/* action/strict.h - the strict mode of test suites (REPRISE_STRICT): what a job would never notice ends the
 * tool with STRICT_STATUS. Constructor of a tool, and the child it forks. */
#ifndef ACTION_STRICT_H
#define ACTION_STRICT_H

#include "action/action.h"

#define STRICT_STATUS 125

/* Notes which descriptors are open, before any of ours is. Nothing outside of the strict mode. */
void strict_begin(struct action *a);
/* Ends the tool when another set is open. */
void strict_check(struct action *a);
/* In the supervisor, when all else is done: in the tool's place when an error was reported. */
void strict_end(const struct action *a);

#endif
