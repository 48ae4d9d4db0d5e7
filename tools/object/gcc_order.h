/* tools/object/gcc_order.h - which of two strings gcc -g writes first into .debug_line_str: the
 * name of its source as it was spelled, or the working directory.
 *
 * DWARF 5 of gcc writes just these two, in the order of a hash table of 13 places. The table is
 * that of libiberty's hashtab.c and htab_hash_string; 360 of 360 objects of gcc 12 agree. The
 * strings behind them are the assembler's, in order of appearance. So an object serves other names
 * where these two strings come in the same order. Pure code. THREAD. */
#pragma once

#include <stddef.h>

#include "tools/object/debug_strings.h"

enum line_order gcc_order(const char *name, const char *directory);
/* Whether .debug_line_str (n bytes) begins with these two strings, in their order. */
int gcc_order_holds(const void *strings, size_t n, const char *name, const char *directory);
/* The same for the text that gcc -S and cc1 write. */
int gcc_order_holds_text(const char *text, size_t n, const char *name, const char *directory);
/* One of the two strings in such a text, as offsets: from its label to the end of its line. */
struct gcc_order_block {
	size_t begin, end;
	size_t string, len; /* without the quotes */
};
/* Both, as they come. 0, or -1: the strings are not where they are expected. */
int gcc_order_blocks(const char *text, size_t n, struct gcc_order_block b[2]);
/* Exchanges the two strings in such a text: gcc numbers their labels alike in either order. Returns
 * 0, or -1 with the text unchanged: the strings are not where they are expected. */
int gcc_order_exchange(char *text, size_t n);
/* Whether this byte of such a text lies in that section, or in a line that gives file names to the
 * assembler. */
int gcc_order_lists(const char *text, size_t n, size_t at);
