/* tools/cmdline/depfile_layout.h - where a compiler breaks the lines of a dependency file.
 *
 * gcc and clang begin a new line before a name that would pass a column, so a name of another
 * length moves the breaks. nvcc writes one name a line. depfile_put() writes the names of a text
 * anew as the compiler would. A recorded file is only trusted to follow a layout if depfile_put()
 * gives the same bytes.
 *
 * Only the first rule is broken so. What follows it, the empty rules of -MP, has one name a line.
 * Source: make_write_name() in libcpp/mkdeps.cc of gcc (8 to 15 break at the same places), and
 * DependencyFileGenerator::outputDependencyFile() of clang (14 to 19). Pure code. THREAD. */
#ifndef TOOLS_CMDLINE_DEPFILE_LAYOUT_H
#define TOOLS_CMDLINE_DEPFILE_LAYOUT_H

#include <stddef.h>

#include "shim/buf.h"

enum depfile_layout {
	DEPFILE_UNKNOWN, /* breaks cannot be computed */
	DEPFILE_GCC,
	DEPFILE_CLANG,
	DEPFILE_LINES    /* one name a line */
};

/* Appends text with its lines broken as the layout says. -1: the text is no dependency file. */
int depfile_put(struct buf *out, enum depfile_layout layout, const char *text, size_t n);
/* 1: the text has this layout. */
int depfile_has(enum depfile_layout layout, const char *text, size_t n, struct arena *a);

#endif
