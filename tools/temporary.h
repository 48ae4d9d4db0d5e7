/* tools/temporary.h - whether a result shows the name of a temporary file of the tool's own:
 * then it depends on the directory of these, and so on the variables that give it. Pure code.
 * THREAD. */
#ifndef TOOLS_TEMPORARY_H
#define TOOLS_TEMPORARY_H

#include "tools/cmdline.h"

/* Variables that name the directory. */
#define TEMPORARY_VARIABLES 4

struct temporary {
	const struct tool_row *row;
	const char *dir[TEMPORARY_VARIABLES]; /* what each of those that were read gives */
	unsigned read;                        /* bit v: variable v was read */
	int named;                            /* the name of such a file was seen */
	int search;                           /* PATH was shown */
};

/* 0: no name of one can be in what this command leaves. */
int temporary_begin(struct temporary *t, const struct tool_row *row, const struct cmdline *c);
const char *temporary_variable(size_t v);
/* The run has read a variable; value: NULL or "" as well. */
void temporary_read(struct temporary *t, const char *name, const char *value);
/* 0: none was read, and so no name can be seen. */
int temporary_possible(const struct temporary *t);
/* n bytes of an output or a stream. */
void temporary_look(struct temporary *t, const void *data, size_t n, int stream);

#endif
