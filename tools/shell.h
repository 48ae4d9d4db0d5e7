/* tools/shell.h - which variables a command of `sh -c` may expand: the shell takes them from its
 * environment without getenv. Pure code. THREAD. */
#ifndef TOOLS_SHELL_H
#define TOOLS_SHELL_H

/* Calls each(ctx, name), names that repeat too, and ones that quotes keep from being expanded. -1: the command may take
 * others as well (eval, export, arithmetic, a file that is read), or one with too long a name. */
int shell_variables(const char *command, void (*each)(void *ctx, const char *name), void *ctx);

#endif
