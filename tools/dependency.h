/* tools/dependency.h - whether a C or C++ text may hold `#pragma GCC dependency "file"`.
 *
 * The pragma compares times: the compiler warns where that file is newer than the text, and fails
 * under -Werror. clang accepts the pragma under its own name too. _Pragma may hold it, and macros
 * may lead to it. A comment and a string do not hold it, unless _Pragma may take the string. Where
 * the text is not understood, the pragma may stand anywhere. The word may stand in pieces that
 * follow one another. It is not seen where macros of two files bring its words together, unless the
 * name of a file follows. Pure code. THREAD. */
#ifndef TOOLS_DEPENDENCY_H
#define TOOLS_DEPENDENCY_H

#include <stddef.h>

#include "shim/arena.h"

/* The word fits into so many bytes, unless lines with many blanks are joined within it. */
#define DEPENDENCY_MOST 64

/* 1: the part of a text may hold the pragma's word. */
int dependency_near(const char *text, size_t n);
/* 1: some pragma of the text may name a file for which asked() holds. asked may be NULL: it holds
 * for every file. Where the name is not known, it is not asked. */
int dependency_in(const char *text, size_t n, struct arena *arena,
                  int (*asked)(void *of, const char *name, size_t n), void *of);
/* 1: the file may let a compiler find a file under a name that is another one's: clang's header
 * map, or the map of gcc -remap. */
int dependency_maps(const char *path);

#endif
