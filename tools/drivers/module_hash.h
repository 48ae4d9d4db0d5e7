/* tools/drivers/module_hash.h - the hash that cudafe++ and cicc make of a source's path. It is the
 * CRC-32 (of zlib and Ethernet) of the real, absolute path, as eight hexadecimal digits.
 *
 * It is in the module id and in names of symbols that are local to a source:
 * _GLOBAL__N__6092a716_5_s2_cu__Z1fPf, __nv_static_24__6092a716_... (seen with nvcc 13.0 and 13.5;
 * --orig_src_path_name of `nvcc --dryrun` is the path). If a release hashed otherwise, nothing
 * would be found in its objects, and they would be bound as before. Pure code. THREAD. */
#ifndef TOOLS_DRIVERS_MODULE_HASH_H
#define TOOLS_DRIVERS_MODULE_HASH_H

#include "tools/driver.h"

/* Whether a source with this name has a hash. */
int module_hash_covers(const char *path);
void module_hash(char out[SOURCE_HASH + 1], const char *path);

#endif
