/* tools/shell.h - variables that a shell's text may expand: the shell takes them from its
 * environment without getenv. Pure code. THREAD. */
#ifndef TOOLS_SHELL_H
#define TOOLS_SHELL_H

#include <stddef.h>

/* Calls each(ctx, name). Names may repeat, and may include names that quotes keep from being
 * expanded. A file that the text reads by `.` is a text of its own. -1: the text may use further
 * variables (eval, arithmetic, a list of all variables), or a name is too long. */
int shell_variables(const char *text, void (*each)(void *ctx, const char *name), void *ctx);

/* The word of the list (each with its NUL, then an empty one) that the shell takes s for: `\eval`
 * and `"ev"al` are eval. NULL: none. */
const char *shell_among(const char *s, size_t n, const char *list);

/* Calls f for each word, first where quotes end words, then where they stand inside them. Stops at
 * an answer other than 0, and returns it. */
int shell_each_word(const char *text, int (*f)(void *ctx, const char *s, size_t n), void *ctx);

/* 1: the word of n bytes is one of the text's, by these splits. */
int shell_has_word(const char *text, const char *word, size_t n);

/* 1: the script starts one program with its own arguments, and adds neither options nor variables
 * to them: `exec gcc "$@"`. text: without comments (tools/script.h). */
int shell_passes_arguments(const char *text);

#endif
