/* shim/fdpath.h - the path of a descriptor. The kernel is asked each time: a cached working
 * directory would be wrong after a vfork child's chdir.
 *
 * CHILD: the caller's buffer, raw system calls. */
#ifndef SHIM_FDPATH_H
#define SHIM_FDPATH_H

#include <stddef.h>
#include <sys/types.h>

/* Writes its real path with a NUL. Pipes and files outside our root do not begin with a slash;
 * removed files end in " (deleted)". Returns the length; -errno, -ENAMETOOLONG if the path and its
 * NUL do not fit. */
ssize_t fdpath(char *out, size_t cap, int fd);
/* Writes the directory that relative paths start from, also for AT_FDCWD: it ends with "/" and has
 * no NUL. Returns the length, 0 if it is unknown or longer than cap. */
size_t fdpath_base(char *out, size_t cap, int dirfd);

#endif
