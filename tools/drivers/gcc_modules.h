/* tools/drivers/gcc_modules.h - compiled modules of g++ (-fmodules-ts): gcm.cache/m.gcm, or where a
 * file of
 * -fmodule-mapper= says.
 *
 * g++ writes the time at which it made a module into the module's README section, for people, and
 * asks for local time once for each. No other part of the module and no reader depends on it. Pure
 * code. THREAD. */
#ifndef TOOLS_DRIVERS_GCC_MODULES_H
#define TOOLS_DRIVERS_GCC_MODULES_H

#include <stddef.h>

/* 1: an output is such a module, and has its local time in its README. */
int gcc_module_is_dated(const void *data, size_t n);
/* g++ makes the directories of an output with this name, unless it is absolute. */
int gcc_module_named(const char *path);
/* 1: the value of -fmodule-mapper= is a file. 0: it is, or may be, a program, a descriptor or an
 * address. */
int gcc_module_mapper_is_file(const char *value);

#endif
