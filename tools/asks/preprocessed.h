/* tools/asks/preprocessed.h - what a preprocessor leaves of a unit.
 *
 * A static look at the texts (tools/asks/asks.h) cannot tell which #if holds. The preprocessor can.
 * Its output holds each use of __FILE__ as a path, and each use of the words that only the compiler
 * itself knows. Pure code. THREAD. */
#pragma once

#include <stddef.h>

#include "tools/cmdline/cmdline.h"

/* The arguments by which gcc or g++ preprocesses the source of a compile to standard output, with a
 * NULL at the end, in the arena. NULL: the command is of another kind, or has more sources. */
const char **expanded_command(const struct tool_row *row, const struct cmdline *c,
                              struct arena *arena);
/* 1: the text begins as the preprocessed text of the command's source. gcc writes nothing for a
 * source that it takes for preprocessed already. */
int expanded_begins(const char *text, size_t n, const struct cmdline *c);
/* 1: a file's name that expanded_is_silent() finds wherever it stands in a path. */
int expanded_finds(const char *base);
/* 1: no line holds one of the file names, and no word asks for a name. files: a list (shim/list.h)
 * of base names that expanded_finds(). Line markers do not count. */
int expanded_is_silent(const char *text, size_t n, const char *files);
/* 1: some line that is no line marker holds the name. */
int expanded_holds(const char *text, size_t n, const char *name, size_t len);
