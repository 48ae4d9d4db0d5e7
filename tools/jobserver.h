/* tools/jobserver.h - what a tool finds of make's jobserver. With one lto-wrapper runs its parts
 * by make's tokens; without, gcc 12 warns `using serial compilation of N LTRANS jobs`, and where
 * -flto=jobserver asked for one, why there is none. With --jobserver nvcc and its steps warn
 * where none is announced, and fail where it is gone. Constructor of a tool only, but for what
 * is marked. */
#ifndef TOOLS_JOBSERVER_H
#define TOOLS_JOBSERVER_H

#include "tools/cmdline.h"

struct jobserver_start {
	const struct tool_row *row;
	const struct cmdline *cmd;
	char *const *envp;
	struct arena *arena;
};
/* A word for the action key; NULL: this start does not ask. How many tokens there are, and under which numbers, changes no result. */
const char *jobserver_state(const struct jobserver_start *s);
/* The FIFO by which makes since 4.4 hand tokens out, or NULL. It is opened, read and written, and shapes nothing. */
const char *jobserver_fifo(const struct jobserver_start *s);
/* THREAD. A program makes such a FIFO by this call: make, for a build of its own. */
int jobserver_is_made(const char *program, const char *call, const char *path);

#endif
