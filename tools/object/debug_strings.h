/* tools/object/debug_strings.h - two strings of debug information that hold names: the name of the
 * source as it was spelled, and the working directory. Each function answers for the tools whose
 * driver has `lines`; for others the form is not known. Pure code. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/buf.h"
#include "tools/tool.h"

/* Which of the two comes first. Candidates hold the numbers. */
enum line_order { LINE_ORDER_NONE, LINE_ORDER_NAME = 1, LINE_ORDER_DIRECTORY = 2 };
/* The order in which the tool writes them; NONE: not known. */
enum line_order debug_strings_order(const struct tool_row *row, const char *name,
                                    const char *directory);
/* 1: this object or assembly holds them in that order, where they are expected. */
int debug_strings_hold(const struct tool_row *row, const void *data, size_t n, const char *name,
                       const char *directory);
/* 1: this byte of assembly lies among such strings, or gives the assembler names of files. */
int debug_strings_at(const struct tool_row *row, const char *text, size_t n, size_t at);
/* Appends to out the object or assembly that the tool writes where they have the other order. 0, or
 * -1: it has another form. */
int debug_strings_exchange(const struct tool_row *row, struct buf *out, const void *product,
                           size_t n);
/* Appends to out the object or assembly that the tool makes of the same source in the directory
 * `to`. from: where the given one was made. 0, or -1: it has another form. For `from` and `from`
 * out gets the given bytes, or -1: so the form is tested. */
int debug_strings_move(const struct tool_row *row, struct buf *out, const void *object, size_t n,
                       const char *from, const char *to);
