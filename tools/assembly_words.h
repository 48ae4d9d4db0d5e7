/* tools/assembly_words.h - whether a text of C or C++ may hold assembler text of its own, or choose
 * sections. Such a text can refer to what gcc and gas write into debug information, and no object
 * shows it. Pure code. THREAD. */
#ifndef TOOLS_ASSEMBLY_WORDS_H
#define TOOLS_ASSEMBLY_WORDS_H

#include <stddef.h>

/* 1: a word of the text is asm or section in one of its spellings, or ## could make asm of words of
 * the text. Comments and quoted text do not count, nor does assembler text without a dot: it names
 * no section and no label of gcc's. The text has no joined lines. */
int assembly_words(const char *text, size_t n);
/* 1: the file is the system's. Its assembler text names symbols, and refers to no section. */
int assembly_of_system(const char *path);

#endif
