/* action/jobserver.h - what a tool finds of make's jobserver. With one lto-wrapper runs its parts by make's tokens; without,
 * gcc 12 warns `using serial compilation of N LTRANS jobs`, and where -flto=jobserver asked for one, why there is none.
 * With --jobserver nvcc and its steps warn where none is announced, and fail where it is gone. Constructor of a tool only. */
#ifndef ACTION_JOBSERVER_H
#define ACTION_JOBSERVER_H

#include "judge/start.h"

/* A word for the action key; NULL: this start does not ask. How many tokens there are, and under which numbers, changes no result. */
const char *jobserver_state(struct start *a);
/* The FIFO by which makes since 4.4 hand tokens out, or NULL. It is opened, read and written, and shapes nothing. */
const char *jobserver_fifo(struct start *a);

#endif
