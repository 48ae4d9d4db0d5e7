/* hooks/preloaded.h - libraries that somebody else preloads, such as a site's tracker: what they
 * ask for themselves is no input of the tool.
 *
 * A tracker (XALT, Darshan) notes in each process when it began and ended, in a log of its own. Its
 * time and its log are not the tool's. But a preloaded library may also stand between the tool and
 * libc: the tool calls the library's open, and that calls ours. The question is then the tool's.
 * The caller's address does not tell the two apart, but what the library replaces does:
 *
 * - a library that replaces no function of any other library asks for itself alone, unless it
 *   needs a function by which it may shape the process, such as setenv. But files that it reads or
 *   looks at are inputs, since its constructor may change the arguments. Sockets count, too;
 * - a library that replaces no clock and no source of random bytes asks for these for itself;
 * - a library that replaces no function of stdio writes for itself what it opens by fopen.
 *
 * All else counts as the tool's. Such a library may make its log by a function whose calls count as
 * the tool's. So a file that is made by a call from such a library must have a name that the
 * process's arguments hold; otherwise the run is not stored. A library that an object of the tool
 * needs is a part of the tool. */
#pragma once

/* One for each family of hooks.def. LOG: fopen for writing. LOG_OPEN: open for writing. */
enum preloaded_family {
	PRELOADED_exec, PRELOADED_spawn, PRELOADED_process, PRELOADED_loader, PRELOADED_open,
	PRELOADED_stdio, PRELOADED_stat, PRELOADED_xstat, PRELOADED_probe, PRELOADED_dir,
	PRELOADED_temp, PRELOADED_change, PRELOADED_attr, PRELOADED_getenv, PRELOADED_clock,
	PRELOADED_random, PRELOADED_socket, PRELOADED_lock, PRELOADED_descriptor, PRELOADED_cwd,
	PRELOADED_LOG, PRELOADED_LOG_OPEN
};

/* Not 0 in a traced process with such libraries. Hooks check only this. */
extern int preloaded_others;

/* Constructor only, in a traced process. The list stays the caller's. */
void preloaded_begin(char *const argv[], char *const envp[]);
/* CHILD. 1: the call comes from such a library, which makes it for itself. caller: its address. */
int preloaded_asks(const void *caller, enum preloaded_family family);
/* CHILD. 1: such a library, and not the tool, may have opened the file to make or change it. */
int preloaded_may_make(const char *path);
