/* tools/comment_options.h - commands whose result does not depend on the words of comments.
 * Pure code. THREAD. */
#ifndef TOOLS_COMMENT_OPTIONS_H
#define TOOLS_COMMENT_OPTIONS_H

#include "tools/cmdline.h"
#include "tools/tool.h"

/* 1: such a command, if the run prints nothing (judge/comment_free.c). */
int comment_options_allow(const struct tool_row *row, const struct cmdline *c);
/* 1: a compiler that opens a file of this name reads it as a C or C++ text. Examples of others:
 * lists for sanitizers, module maps, locales. */
int comment_options_text(const char *path);
/* 1: the compiler may read comments of Doxygen. */
int comment_options_doxygen(const struct tool_row *row);
/* 1: it may give up columns in a unit with many lines (COMMENT_PLACES_MAX). */
int comment_options_places(const struct tool_row *row);
/* 1: a program that takes part in such a command. Any other may do anything with a text. */
int comment_options_program(const struct tool_row *row, const char *base);

#endif
