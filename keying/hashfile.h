/* keying/hashfile.h - digest of an open file's content, read with read(2). A mapping would kill the
 * host if the file were truncated meanwhile. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/digest.h"

/* The kernel copies fastest into a buffer that stays in the second-level cache. */
#define HASHFILE_BUFFER (64u << 10)

/* A search in a text while it is read. `in` says whether n bytes of the text hold the thing
 * searched for; HASHFILE_SEARCH_MOST bytes are enough for it. Objects and archives are not
 * searched. */
#define HASHFILE_SEARCH_MOST 64
struct hashfile_search {
	int (*in)(const char *text, size_t n);
	int found;
};

/* buffer: HASHFILE_BUFFER bytes. expect: the size that statx reported, a hint. Returns 0, or
 * -errno; *bytes is the number of bytes read. search may be NULL. */
int hashfile(int fd, unsigned char *buffer, unsigned long long expect, struct digest *out,
             unsigned long long *bytes, struct hashfile_search *search);
