/* tools/specs.h - files by which compilers add to their own command line. These are clang's
 * configuration files, and gcc's specs, which gcc finds beside its libraries and along
 * LIBRARY_PATH.
 *
 * The command was classified without these files. A flag in such a file may bind the result to the
 * working directory (-g) or to the processor (-march=native). Pure code. THREAD. */
#ifndef TOOLS_SPECS_H
#define TOOLS_SPECS_H

#include <stddef.h>

/* A file with this name may hold flags for gcc, or for clang where clang reads it. */
int specs_is_config(const char *path);
int specs_is(const char *path);
/* The n bytes of text may add a flag that the key needs: a flag that names the processor, or a
 * further file of flags. */
int specs_config_adds(const char *text, size_t n);
int specs_adds(const char *text, size_t n);

#endif
