/* hooks/search.h - the PATH search that libc makes inside execvp and posix_spawnp, made visible.
 * CHILD: the caller's buffer, errno kept. */
#ifndef HOOKS_SEARCH_H
#define HOOKS_SEARCH_H

#include <stddef.h>

/* The search ends at a PATH element longer than this: the child runs as libc finds it, and the trace is
 * refused. Keeps the frame small. */
#define SEARCH_PATH_MAX 1536

/* The file that execvp(file) would run, in out, 0; -1 when none is found. A traced process records the
 * candidates that do not exist. */
int search_path(char *out, size_t cap, const char *file);

#endif
