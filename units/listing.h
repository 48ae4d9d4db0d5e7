/* units/listing.h - directory streams of this process whose names are filtered: a rank does not see
 * what Reprise laid for other ranks (units/mark.h).
 *
 *     dir = real.opendir(path);
 *     listing_opened(dir ? dirfd(dir) : -1, mark);   // 0: nothing is left out
 *     ...
 *     do
 *             entry = real.readdir(dir);
 *     while (entry && listing_on && listing_leaves_out(dirfd(dir), entry->d_name));
 *
 * A stream is known by its descriptor. Each stream that a hooked function opens sets the entry of
 * its descriptor anew, so closedir need not be hooked. Streams that are made of a descriptor
 * (fdopendir, as Python's shutil.rmtree does) show all names. No lock, no memory. CHILD; errno is
 * kept. */
#ifndef UNITS_LISTING_H
#define UNITS_LISTING_H

#include <stdint.h>

/* 1: a stream of this process has been filtered. */
extern int listing_on;

/* listing_opened() calls it. */
void listing_set(int fd, uint64_t mark);
/* 1: the name bears another mark than the stream's. */
int listing_leaves_out(int fd, const char *name);
/* 1: a stream with this mark shows no name of the directory, or there is no directory. THREAD. */
int listing_is_empty(const char *path, uint64_t mark);

static inline void listing_opened(int fd, uint64_t mark)
{
	if (__builtin_expect((mark || listing_on) && fd >= 0, 0))
		listing_set(fd, mark);
}

#endif
