/* tools/cmdline/jobserver.h - what a tool finds of make's jobserver.
 *
 * With a jobserver, lto-wrapper runs its parts by make's tokens. Without it, gcc 12 warns `using
 * serial compilation of N LTRANS jobs`; with -flto=jobserver it also says why there is none. With
 * --jobserver, nvcc and its steps warn where no jobserver is announced, and fail where it is gone.
 * Constructor of a tool only, except for marked functions. */
#pragma once

#include "tools/cmdline/cmdline.h"

struct jobserver_start {
	const struct tool_row *row;
	const struct cmdline *cmd;
	char *const *envp;
	struct arena *arena;
};
/* A word for the action key; NULL: this start does not ask for a jobserver. The number of tokens
 * and the descriptors' numbers change no result. */
const char *jobserver_state(const struct jobserver_start *s);
/* The FIFO by which make since 4.4 hands tokens out, or the ends of a pipe that rustc opens by
 * their numbers, as "/dev/fd/6,7"; NULL: none. Tools open, read and write it, but it does not
 * change a result. */
const char *jobserver_fifo(const struct jobserver_start *s);
/* THREAD. The path is that FIFO, or an end of that pipe. */
int jobserver_is(const char *jobserver, const char *path);
/* THREAD. This call makes such a FIFO: the program is make, for a build of its own. */
int jobserver_is_made(const char *program, const char *call, const char *path);
