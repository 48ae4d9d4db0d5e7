/* tools/dependency.h - whether a C or C++ text may hold `#pragma GCC dependency "file"`.
 *
 * The pragma compares times: the compiler warns where that file is newer than the text, and fails
 * under -Werror. clang accepts the pragma under its own name too, and _Pragma may hold it. The
 * answer is also 1 if the pragma stands inside a comment or string. It is not seen where a comment,
 * a joined line or a macro stands between its words. Pure code. THREAD. */
#ifndef TOOLS_DEPENDENCY_H
#define TOOLS_DEPENDENCY_H

#include <stddef.h>

/* The pragma fits into so many bytes, unless it has very many blanks. */
#define DEPENDENCY_MOST 64

int dependency_in(const char *text, size_t n);

#endif
