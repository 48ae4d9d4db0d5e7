/* tools/shell.h - variables that a shell's text may expand: the shell takes them from its
 * environment without getenv. Pure code. THREAD. */
#ifndef TOOLS_SHELL_H
#define TOOLS_SHELL_H

/* Calls each(ctx, name). Names may repeat, and may include names that quotes keep from being
 * expanded. A file that the text reads by `.` is a text of its own. -1: the text may use further
 * variables (eval, arithmetic, a list of all variables), or a name is too long. */
int shell_variables(const char *text, void (*each)(void *ctx, const char *name), void *ctx);

/* 1: the script starts one program with its own arguments, and adds neither options nor variables
 * to them: `exec gcc "$@"`. text: without comments (tools/script.h). */
int shell_passes_arguments(const char *text);

#endif
