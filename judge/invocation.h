/* judge/invocation.h - how a tool was started: its program, arguments, environment and directory.
 *
 * A compile inside a host (jit/) fills it as if it had started a tool. The strings belong to the
 * caller; answers lie in the arena that is given. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/arena.h"

struct invocation {
	const char *exe;    /* /proc/self/exe */
	const char *execfn; /* the path that the kernel was given */
	const char *base;   /* base name of exe */
	int argc;
	char **argv, **envp;
	const char *cwd;
	size_t cwd_len;
	unsigned umask;
	int inside;              /* a compile inside a host */
	int nested;              /* below a recorded parent action (action/nest.h) */
	struct {                 /* directories of PATH, absolute and tidy (judge/input/search.c) */
		const char *path;
		size_t len;
	} *path_dir;
	size_t path_dirs;
};

/* The value of a variable in the tool's environment, NULL if unset. */
const char *invocation_env(const struct invocation *call, const char *name);
/* The next argument behind argument i that names a response file, or 0. */
int invocation_response(const struct invocation *call, int i);
#define INVOCATION_RESPONSES(i, call) \
	for (int i = invocation_response(call, 0); i; i = invocation_response(call, i))
/* The path as the trace spells it: absolute, from the tool's directory, and tidy. NULL: no memory
 * is left. */
const char *invocation_whole(const struct invocation *call, const char *path, struct arena *a);
