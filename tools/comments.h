/* tools/comments.h - line comments at the end of a C++ source, which no object file knows of.
 *
 * Inductor appends its command lines as comments to a source after compiling it (AOTInductor, CUTLASS), so
 * the same compile in the same directory meets another file each time. They are taken out of the key
 * where nothing can come of them: whole lines of printable ASCII that begin with two slashes and hold no backslash, and empty ones,
 * that follow a line that ends in none, up to the end of the file. The bytes are still compared before
 * and after the run. Pure code. THREAD. */
#ifndef TOOLS_COMMENTS_H
#define TOOLS_COMMENTS_H

#include <stddef.h>

/* Length of the text without its trailing comment lines; n where there are none. */
size_t comments_strip(const char *text, size_t n);
/* True for the names of files that gcc takes for C++ (in C90 two slashes begin no comment). */
int comments_in(const char *path);

#endif
