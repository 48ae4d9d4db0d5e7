/* tools/object/gcc_directory.h - exchanges the working directory in an object of gcc -g.
 *
 * DWARF 5 of gcc and gas holds the directory only in .debug_line_str. gcc writes it beside the name
 * of the source, in the order of tools/object/gcc_order.h. gas writes it again among the strings of
 * its line table, in order of appearance. Relocations refer to these strings by their offsets. gas
 * puts the sections of an object one behind the other, each where its alignment allows. So the
 * object of another directory can be computed. It has other strings, other offsets in relocations,
 * and other places of the sections behind. Pure code. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/buf.h"

/* Appends to out the object, or the text of gcc -S, that gcc makes of
 * the same source in the directory `to`. `from`: the directory that the object was made in. With
 * `to` equal to `from` it gives the object itself, or fails. This shows whether a recorded object
 * has the expected form. Returns 0, or -1: the object has another form, or a string begins with one
 * of the directories. */
int gcc_directory_move(struct buf *out, const void *object, size_t n, const char *from,
                       const char *to);
