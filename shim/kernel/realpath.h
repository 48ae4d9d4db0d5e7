/* shim/kernel/realpath.h - follows the links of a path, component by component, if /proc is not
 * mounted. CHILD, on stacks of 16 KiB or more. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Writes the real path of an existing file to out, which has cap bytes, 2 or more. Returns its
 * length, or -errno as the kernel would. */
ssize_t path_real(char *out, size_t cap, const char *path);

/* The path of a descriptor. The kernel is asked each time: a cached working
 * directory would be wrong after a vfork child's chdir.
 *
 * CHILD: the caller's buffer, raw system calls. */

/* Writes its real path with a NUL. Pipes and files outside our root do not begin with a slash;
 * removed files end in " (deleted)". Returns the length; -errno, -ENAMETOOLONG if the path and its
 * NUL do not fit. */
ssize_t fdpath(char *out, size_t cap, int fd);
/* Writes the directory that relative paths start from, also for AT_FDCWD: it ends with "/" and has
 * no NUL. Returns the length, 0 if it is unknown or longer than cap. */
size_t fdpath_base(char *out, size_t cap, int dirfd);
