/* units/find/listing.h - directory streams of this process whose names are filtered: a rank does
 * not see what Reprise laid for other ranks.
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
 * kept.
 *
 * Names of graphs that Reprise lays for one rank, in a directory where other ranks may look under
 * the same key.
 *
 *     0reprise-<16 hex digits: the mark of a scope>-<name that the framework gave the file>
 *
 * The framework lists a set's directory and opens every file, whatever its name is (torch 2.6 to
 * 2.13; 2.13 leaves out names with a leading dot). A rank's listing leaves out the names that bear
 * another mark than the rank's own. Files that the framework wrote itself bear no
 * mark and are always listed.
 *
 * The mark is part of the name. So a file never appears without its mark, even if a process is
 * killed, and keeps the mark when its directory is copied. A name that begins with the prefix and
 * has another form is left out for all ranks. An example is a name of a later version. '0' sorts
 * before the framework's letters and digits, and torch takes names in sorted order. So a rank finds
 * its own graph before a graph of another rank that the framework wrote.
 *
 * Pure. CHILD, but for mark_name. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"

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

#define MARK_PREFIX "0reprise-"
/* The mark of a process that has none: every marked name belongs to another process. */
#define MARK_NONE 1u
/* Of a scope's text; above MARK_NONE. 64 bits: some thousand scopes look in one directory. */
uint64_t mark_of(const char *scope);
/* NULL without memory. THREAD. */
const char *mark_name(uint64_t mark, const char *member, struct arena *a);
/* 1: the name bears a mark, and not this one. */
int mark_is_of_other(const char *name, uint64_t mark);
