/* tools/definitions.h - macros that a command defines. Pure code. THREAD. */
#ifndef TOOLS_DEFINITIONS_H
#define TOOLS_DEFINITIONS_H

#include "tools/cmdline.h"

/* The #define lines that the -D options of a command stand for; NULL: no memory. */
const char *definitions_lines(const struct cmdline *c, struct arena *arena);

#endif
