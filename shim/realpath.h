/* shim/realpath.h - a path with its links followed, component by component: for where no /proc tells.
 * CHILD, but for stacks of less than 16 KiB. */
#ifndef SHIM_REALPATH_H
#define SHIM_REALPATH_H

#include <stddef.h>
#include <sys/types.h>

/* cap: PATH_SIZE, or more than 1. The length, or -errno as the kernel would say: a last component that
 * is missing is -ENOENT. */
ssize_t path_real(char *out, size_t cap, const char *path);

#endif
