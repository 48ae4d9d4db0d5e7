/* cli/find_library.h - where the object is. TOOL. */
#ifndef CLI_FIND_LIBRARY_H
#define CLI_FIND_LIBRARY_H

#include <stddef.h>

/* Finds libreprise.so from the place of this program, as an absolute path that
 * LD_PRELOAD can hold. 0, or -1 after a message (no message if who is NULL). */
int cli_find_library(char *out, size_t cap, const char *who);

#endif
