/* shim/realpath.h - follows the links of a path, component by component, for where /proc is not
 * mounted. CHILD, on stacks of 16 KiB or more. */
#ifndef SHIM_REALPATH_H
#define SHIM_REALPATH_H

#include <stddef.h>
#include <sys/types.h>

/* The real path of a file that is there, in out, which has room for cap bytes, 2 or more. Its length,
 * or -errno as the kernel would say. */
ssize_t path_real(char *out, size_t cap, const char *path);

#endif
