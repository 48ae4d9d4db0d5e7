/* tools/written.h - which files a command line stands for: those that it names, those that tools
 * lay beside a named one, and what they write where no argument says. Paths are as the trace
 * spells them. Memory: the arena. THREAD. */
#ifndef TOOLS_WRITTEN_H
#define TOOLS_WRITTEN_H

#include "tools/cmdline.h"

struct written {
	const struct tool_row *row;
	const struct cmdline *cmd;
	char *const *envp;
	struct arena *arena;
};

/* The command may write it. */
int written_may(const struct written *w, const char *path);
/* It is what the command is run for. */
int written_asked_for(const struct written *w, const char *path);
/* An argument that is the path of an existing file spells this path. */
int written_is_input(const char *path, const char *argument);
/* A compiler lays files that end so beside its output or, where none is named, beside its
 * source. */
int written_is_kind(const char *name);

#endif
