/* keying/hashfile.h - digest of an open file's content, read with read(2): a mapping of a file that is
 * truncated meanwhile would kill the host. THREAD. */
#ifndef KEYING_HASHFILE_H
#define KEYING_HASHFILE_H

#include "shim/digest.h"

/* The kernel copies fastest into what stays in the second-level cache. */
#define HASHFILE_BUFFER (64u << 10)

/* buffer: HASHFILE_BUFFER bytes. expect: the size that statx told, a hint. 0, or -errno; *bytes is
 * what was read. depends: NULL, or set to dependency_in() of it. */
int hashfile(int fd, unsigned char *buffer, unsigned long long expect, struct digest *out,
             unsigned long long *bytes, int *depends);

#endif
