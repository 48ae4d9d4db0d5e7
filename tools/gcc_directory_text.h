/* tools/gcc_directory_text.h - exchanges the working directory in the text that gcc -S -g and cc1
 * -g write.
 *
 * DWARF 5 of gcc holds the directory in two places of the text: in `.file 0`, and as a string of
 * .debug_line_str. There it comes before or behind the name of the source (tools/gcc_order.h). Each
 * string has a label of its own, whose number does not depend on the order. So the text of another
 * directory can be computed. Pure code. THREAD. */
#ifndef TOOLS_GCC_DIRECTORY_TEXT_H
#define TOOLS_GCC_DIRECTORY_TEXT_H

#include <stddef.h>

#include "shim/buf.h"

/* As gcc_directory_move (tools/gcc_directory.h). -1 also where another place of the text holds one
 * of the directories, or where gcc would escape or divide one. */
int gcc_directory_move_text(struct buf *out, const char *text, size_t n, const char *from,
                            const char *to);

#endif
