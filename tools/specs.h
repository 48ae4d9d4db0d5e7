/* tools/specs.h - files by which compilers add to their own command line: clang's configuration
 * files, and gcc's specs, which it finds by itself beside its libraries and along LIBRARY_PATH.
 *
 * The command was classified without them: a flag in one may bind the result to the working
 * directory (-g) or to the processor (-march=native). Pure code. THREAD. */
#ifndef TOOLS_SPECS_H
#define TOOLS_SPECS_H

#include <stddef.h>

/* A file of this name may hold flags for clang, where that reads one, or for gcc. */
int specs_is_config(const char *path);
int specs_is(const char *path);
/* Its n bytes may add a flag that the key should have had: one that names the processor, or
 * another file of flags. */
int specs_config_adds(const char *text, size_t n);
int specs_adds(const char *text, size_t n);

#endif
