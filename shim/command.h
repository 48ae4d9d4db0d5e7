/* shim/command.h - the `reprise` command that belongs to an object, as a host or tool starts it. */
#ifndef SHIM_COMMAND_H
#define SHIM_COMMAND_H

#include <stddef.h>

#include "shim/arena.h"

/* object: path of libreprise.so (shim/object.h). The command is beside it (a build tree) or in
 * ../../bin of its directory (an installed prefix); PATH is never used. 0, or -1: there is none.
 * THREAD. */
int command_find(char *out, size_t cap, const char *object);
/* The environment without LD_PRELOAD; NULL without memory. THREAD. */
char **command_environment(char *const envp[], struct arena *a);

#endif
