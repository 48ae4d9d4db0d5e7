/* tools/cmdline/temporary.h - whether a result shows the name of one of the tool's own temporary
 * files. If so, it depends on their directory, and so on the variables that name the directory.
 * Pure code. THREAD. */
#ifndef TOOLS_CMDLINE_TEMPORARY_H
#define TOOLS_CMDLINE_TEMPORARY_H

#include "tools/cmdline/cmdline.h"

/* Variables that name the directory. */
#define TEMPORARY_VARIABLES 4

struct temporary {
	const struct tool_row *row;
	const char *dir[TEMPORARY_VARIABLES]; /* the value of each variable that was read */
	unsigned read;                        /* bit v: variable v was read */
	int named;                            /* the name of a temporary file was seen */
	int search;                           /* PATH was shown */
};

/* 0: the outputs of this command cannot hold the name of a temporary file. */
int temporary_begin(struct temporary *t, const struct tool_row *row, const struct cmdline *c);
const char *temporary_variable(size_t v);
/* To be called when the run has read a variable; value may be NULL or "". */
void temporary_read(struct temporary *t, const char *name, const char *value);
/* 0: no variable was read, so no name can be seen. */
int temporary_possible(const struct temporary *t);
/* 1: no such name was seen, although a name of the tool's own would have been seen. So another
 * directory gives the same result. */
int temporary_elsewhere(const struct temporary *t);
/* Searches n bytes of an output or a stream. */
void temporary_look(struct temporary *t, const void *data, size_t n, int stream);

#endif
