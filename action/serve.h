/* action/serve.h - a tool serves itself: key, look-up and replay, otherwise recording. Constructor
 * of a tool only. */
#pragma once

#include "action/action.h"

/* NESTED_STEP: the start runs below a recorded tool whose trace is attached (action/nest.h). A
 * bypass is then traced like any process there. NESTED_WATCHED: the user's settings take this tool
 * out. Its command line is still read for properties that events cannot express. */
enum nested { NESTED_NOT, NESTED_STEP, NESTED_WATCHED };
struct tool_start {
	const struct tool_row *row;
	const char *exe, *execfn; /* /proc/self/exe; the path that the kernel was given */
	int argc;
	char **argv, **envp;
	enum nested nested;
	int carried; /* a framework's process takes the output into what Reprise carries (units/) */
	/* the reason of a bypass that is only counted and logged, otherwise REASON_NONE */
	enum reason refused;
};
/* Returns in the process that must run the tool's main: at once for a bypass, in the forked child
 * for a miss. Never returns for a hit or in the supervisor. Takes over the arena, which holds what
 * t points to. */
void action_serve(const struct tool_start *t, const struct settings *set, struct arena arena);
