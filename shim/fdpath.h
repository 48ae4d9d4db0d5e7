/* shim/fdpath.h - what a descriptor is called. The kernel is asked each time: a cached working directory would be
 * wrong after a vfork child's chdir.
 *
 * CHILD: the caller's buffer, raw system calls. */
#ifndef SHIM_FDPATH_H
#define SHIM_FDPATH_H

#include <stddef.h>
#include <sys/types.h>

/* Its real path, with a NUL; a pipe or what lies outside our root begins with no slash, what was removed ends in
 * " (deleted)". The length; -errno, -ENAMETOOLONG where the path and its NUL do not fit. */
ssize_t fdpath(char *out, size_t cap, int fd);
/* What a relative path goes on from, AT_FDCWD included: ends with "/", has no NUL. The length, 0 when unknown or
 * longer than cap. */
size_t fdpath_base(char *out, size_t cap, int dirfd);

#endif
