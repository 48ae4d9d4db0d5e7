/* tools/script/varying.h - variables that differ between the ranks, jobs, pods and sessions of one
 * job. A script that does not name them does not depend on them. docs/internals/keys.md lists them.
 * Pure code. THREAD. */
#ifndef TOOLS_SCRIPT_VARYING_H
#define TOOLS_SCRIPT_VARYING_H

#include <stddef.h>

/* 1: a script's result does not depend on this variable, unless the script names it. */
int varying(const char *name, const char *value);
/* Calls each(ctx, pattern) for each row of the list that the text names: NAME, PREFIX*, *SUFFIX or
 * *MIDDLE*. */
void varying_named(const char *text, void (*each)(void *ctx, const char *pattern), void *ctx);
/* 1: the name has this form. */
int varying_matches(const char *pattern, const char *name);

#endif
