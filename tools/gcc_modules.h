/* tools/gcc_modules.h - compiled modules of g++ (-fmodules-ts): gcm.cache/m.gcm, or where a file of
 * -fmodule-mapper= says.
 *
 * g++ writes the time at which it made a module into the module's README section, for people, and
 * asks for local time once for each. No other part of the module and no reader depends on it. Pure
 * code. THREAD. */
#ifndef TOOLS_GCC_MODULES_H
#define TOOLS_GCC_MODULES_H

#include <stddef.h>

#include "tools/driver.h"

/* 1: an output is such a module, and has its local time in its README. */
int gcc_module_is_dated(const void *data, size_t n);
/* g++ makes the directories of an output with this name, unless it is absolute. */
int gcc_module_named(const char *path);
/* 1: the value of -fmodule-mapper= is a file. 0: it is, or may be, a program, a descriptor or an
 * address. */
int gcc_module_mapper_is_file(const char *value);

/* The hash that cudafe++ and cicc make of a source's path. It is the CRC-32
 * (of zlib and Ethernet) of the real, absolute path, as eight hexadecimal digits.
 *
 * It is in the module id and in names of symbols that are local to a source:
 * _GLOBAL__N__6092a716_5_s2_cu__Z1fPf, __nv_static_24__6092a716_... (seen with nvcc 13.0 and 13.5;
 * --orig_src_path_name of `nvcc --dryrun` is the path). If a release hashed otherwise, nothing
 * would be found in its objects, and they would be bound as before. */

/* Whether a source with this name has a hash. */
int module_hash_covers(const char *path);
void module_hash(char out[SOURCE_HASH + 1], const char *path);

#endif
