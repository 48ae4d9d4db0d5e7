/* tools/shell.h - variables that a command of `sh -c` may expand: the shell takes them from its
 * environment without getenv. Pure code. THREAD. */
#ifndef TOOLS_SHELL_H
#define TOOLS_SHELL_H

/* Calls each(ctx, name). Names may repeat, and may include names that quotes keep from being
 * expanded. -1: the command may use further variables (eval, export, arithmetic, a file that is
 * read), or a name is too long. */
int shell_variables(const char *command, void (*each)(void *ctx, const char *name), void *ctx);

#endif
