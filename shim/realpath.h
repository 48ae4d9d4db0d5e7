/* shim/realpath.h - follows the links of a path, component by component, if /proc is not mounted.
 * CHILD, on stacks of 16 KiB or more. */
#ifndef SHIM_REALPATH_H
#define SHIM_REALPATH_H

#include <stddef.h>
#include <sys/types.h>

/* Writes the real path of an existing file to out, which has cap bytes, 2 or more. Returns its
 * length, or -errno as the kernel would. */
ssize_t path_real(char *out, size_t cap, const char *path);

#endif
