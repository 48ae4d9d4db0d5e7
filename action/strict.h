/* action/strict.h - the strict mode of test suites (REPRISE_STRICT). An error that a job would not
 * notice ends the tool with STRICT_STATUS. Constructor of a tool, and the child that it forks. */
#ifndef ACTION_STRICT_H
#define ACTION_STRICT_H

#include "action/action.h"

#define STRICT_STATUS 125

/* Notes the open descriptors, before Reprise opens its own. Does nothing outside the strict
 * mode. */
void strict_begin(struct action *a);
/* Ends the tool if the set of open descriptors changed. */
void strict_check(struct action *a);
/* For the supervisor, after all other work. Ends in place of the tool if an error was reported. */
void strict_end(const struct action *a);

#endif
