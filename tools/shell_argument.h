/* tools/shell_argument.h - whether the text of a shell looks into its arguments.
 *
 * An argument may hold a generated name, such as /tmp/ccXXXXXX.s (tools/python_argument.h). Words
 * and patterns that may depend on its random letters are refused; others, such as `-o` and `*.c`,
 * give the same answer for each of them. What eval runs is not followed. Pure code. THREAD. */
#ifndef TOOLS_SHELL_ARGUMENT_H
#define TOOLS_SHELL_ARGUMENT_H

#include "shim/arena.h"

/* text: cleaned (tools/script_words.h). ran: 1 if a program of this name ran below the script. A
 * program that did not run took no letters, and only letters of an argument could make it run.
 * Returns what takes letters of an argument, for people, or NULL. */
const char *shell_looks_into_arguments(const char *text, int (*ran)(void *ctx, const char *program),
                                       void *ctx, struct arena *a);

#endif
