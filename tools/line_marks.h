/* tools/line_marks.h - whether a C or C++ text may hold a #line or a line marker.
 *
 * These give a file another name for the text behind them. `# 7 "x" 2` compares its name with the
 * name of the file that included this file. Errs on the side of 1. It says 1 inside comments and
 * strings too, and where a comment or a joined line stands behind the '#'. Pure code. THREAD. */
#ifndef TOOLS_LINE_MARKS_H
#define TOOLS_LINE_MARKS_H

#include <stddef.h>

int line_marks_in(const char *text, size_t n);
/* The same for an #embed, which reads a file as data. */
int line_marks_embed(const char *text, size_t n);
/* The same for a #line or line marker that may give an absolute name. Joined lines must be joined
 * already, as asks_joined() does. */
int line_marks_rename(const char *text, size_t n);

#endif
