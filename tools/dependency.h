/* tools/dependency.h - whether a C or C++ text may hold `#pragma GCC dependency "file"`.
 *
 * It compares times: a warning where that file is newer than the text, an error under -Werror. clang knows it by its own name too, and
 * _Pragma may hold it. Errs on the side of 1 inside comments and strings; not seen where a comment, a joined line or a macro stands
 * between its words. Pure code. THREAD. */
#ifndef TOOLS_DEPENDENCY_H
#define TOOLS_DEPENDENCY_H

#include <stddef.h>

/* As many bytes hold it, but for a great many blanks. */
#define DEPENDENCY_MOST 64

int dependency_in(const char *text, size_t n);

#endif
