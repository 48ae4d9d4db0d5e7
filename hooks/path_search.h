/* hooks/path_search.h - repeats the PATH search of libc's execvp and posix_spawnp, so that a trace
 * shows it. CHILD: the caller's buffer, errno kept. */
#ifndef HOOKS_PATH_SEARCH_H
#define HOOKS_PATH_SEARCH_H

#include <stddef.h>

/* The search ends at a PATH element longer than this: libc finds the program, and the trace is
 * refused. The limit keeps the frame small. */
#define SEARCH_PATH_MAX 1536

/* Writes the file that execvp(file) would run to out, 0; -1 if none is found. A traced process
 * records the candidates that do not exist. */
int search_path(char *out, size_t cap, const char *file);

#endif
