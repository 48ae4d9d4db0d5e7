/* keying/hashfile.h - digest of an open file's content, read with read(2): a mapping of a file that is
 * truncated meanwhile would kill the host. THREAD. */
#ifndef KEYING_HASHFILE_H
#define KEYING_HASHFILE_H

#include <stddef.h>

#include "shim/digest.h"

/* The kernel copies fastest into what stays in the second-level cache. */
#define HASHFILE_BUFFER (64u << 10)

/* What a text is searched for while it is read: `in` says whether its n bytes hold it, and needs
 * no more than HASHFILE_SEARCH_MOST of them. Objects and archives are not searched. */
#define HASHFILE_SEARCH_MOST 64
struct hashfile_search {
	int (*in)(const char *text, size_t n);
	int found;
};

/* buffer: HASHFILE_BUFFER bytes. expect: the size that statx told, a hint. 0, or -errno; *bytes is
 * what was read. search may be NULL. */
int hashfile(int fd, unsigned char *buffer, unsigned long long expect, struct digest *out,
             unsigned long long *bytes, struct hashfile_search *search);

#endif
