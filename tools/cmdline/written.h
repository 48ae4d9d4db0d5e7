/* tools/cmdline/written.h - which files a command line may write: the named files, the files that
 * tools put beside a named file, and the default outputs. Paths are spelled as in the trace.
 * Memory: the arena. THREAD. */
#pragma once

#include "tools/cmdline/cmdline.h"

struct written {
	const struct tool_row *row;
	const struct cmdline *cmd;
	char *const *envp;
	struct arena *arena;
};

/* The command may write this path. */
int written_may(const struct written *w, const char *path);
/* The command is run for this output. */
int written_asked_for(const struct written *w, const char *path);
/* An argument that is the path of an existing file spells this path. */
int written_is_input(const char *path, const char *argument);
/* A compiler puts files with this ending beside its output or, where no output is named, beside its
 * source. */
int written_is_kind(const char *name);
