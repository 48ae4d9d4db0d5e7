/* units/gather/pickle.h - walks pickles without loading them. Pure; the bytes may be anything.
 * TOOL. */
#ifndef UNITS_GATHER_PICKLE_H
#define UNITS_GATHER_PICKLE_H

#include "shim/arena.h"
#include "units/gather/unit_files.h"

/* One pickled object and nothing behind it: each opcode has its argument, and STOP is last. */
enum check check_pickle(const void *bytes, size_t n);
/* One or several of them, one behind the other. */
enum check check_pickles(const void *bytes, size_t n);
/* Names of the sources that the code in a pickle was made from, each once, in the arena. These are:
 *   - the file names of marshalled code objects;
 *   - other strings that end in ".py";
 *   - the names in a graph's comments, "# File: <name>:<line> in ...", where torch says from where
 *     an operation was called. For an operation without a source, torch names the caller.
 * Returns their number, or -1: more than max, or no memory. */
int pickle_sources(const void *bytes, size_t n, const char *out[], int max, struct arena *a);
/* 1: the pickle has an attribute of this name, and its first value is not None. */
int pickle_has(const void *bytes, size_t n, const char *attribute);

#endif
