/* tools/computed_files.h - texts that put the name of a file together.
 *
 * An #include, #import, #embed or __has_include in C, C++ and CUDA may name its file by a macro.
 * .include and .incbin in an assembler's macro may name it by an argument. Pure code. THREAD. */
#ifndef TOOLS_COMPUTED_FILES_H
#define TOOLS_COMPUTED_FILES_H

#include <stddef.h>

/* 1: the text may do so. Comments and strings count as text, and "#" may be "%:" or "?\?=". */
int computed_files(const char *text, size_t n);

#endif
