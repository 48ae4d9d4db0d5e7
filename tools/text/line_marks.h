/* tools/text/line_marks.h - whether a C or C++ text may hold a #line or a line marker.
 *
 * These give a file another name for the text behind them. `# 7 "x" 2` compares its name with the
 * name of the file that included this file. Errs on the side of 1. It says 1 inside comments and
 * strings too, and where a comment or a joined line stands behind the '#'. Pure code. THREAD. */
#pragma once

#include <stddef.h>

int line_marks_in(const char *text, size_t n);
/* The same for an #embed, which reads a file as data. */
int line_marks_embed(const char *text, size_t n);
/* The same for a #line or line marker that may give an absolute name. Joined lines must be joined
 * already, as asks_joined() does. */
int line_marks_rename(const char *text, size_t n);

/* Whether a text of C or C++ may hold assembler text of its own, or choose sections. Such a text
 * can refer to what gcc and gas write into debug information, and no object shows it. Pure code.
 * THREAD. */

/* 1: a word of the text is asm or section in one of its spellings, or ## could make asm of words of
 * the text. Comments and quoted text do not count, nor does assembler text without a dot: it names
 * no section and no label of gcc's. The text has no joined lines. */
int assembly_words(const char *text, size_t n);
/* 1: the file is the system's. Its assembler text names symbols, and refers to no section. */
int assembly_of_system(const char *path);
