/* action/jobserver.h - what lto-wrapper finds of make's jobserver. With one it runs its parts by make's tokens; without,
 * gcc 12 warns `using serial compilation of N LTRANS jobs`, and where -flto=jobserver asked for one, why there is none. */
#ifndef ACTION_JOBSERVER_H
#define ACTION_JOBSERVER_H

#include "action/action.h"

/* A word for the action key. How many tokens there are, and under which numbers, changes no result. Constructor of a tool only. */
const char *jobserver_state(struct action *a);

#endif
