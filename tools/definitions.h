/* tools/definitions.h - macros that a command defines. Pure code. THREAD. */
#ifndef TOOLS_DEFINITIONS_H
#define TOOLS_DEFINITIONS_H

#include "tools/cmdline.h"

/* The value of -D, -U or a longer spelling of these at argument i: "NAME=VALUE", or "". The value
 * may be the next argument. NULL: argument i is another option, or itself such a value. */
const char *definition_at(const struct cmdline *c, int i);
/* 1: the definition at argument i is that of -U. */
int definition_undefines(const struct cmdline *c, int i);
/* 1: as far as can be seen, no option undefines a macro, and definitions_lines() has each one that
 * an option defines. These are defined when the first text is read. */
int definitions_are_all(const struct cmdline *c);
/* The #define lines that the -D options of a command stand for; NULL: no memory. */
const char *definitions_lines(const struct cmdline *c, struct arena *arena);

#endif
