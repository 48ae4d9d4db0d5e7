/* units/mark.h - names of graphs that Reprise lays for one rank, in a directory where other ranks
 * may look under the same key.
 *
 *     0reprise-<16 hex digits: the mark of a scope>-<name that the framework gave the file>
 *
 * The framework lists a set's directory and opens every file, whatever its name is (torch 2.6 to
 * 2.13; 2.13 leaves out names with a leading dot). A rank's listing leaves out the names that bear
 * another mark than the rank's own (units/listing.h). What the framework wrote itself bears none
 * and is always listed.
 *
 * The mark is part of the name, so a file is never there without it, whoever is killed, and keeps
 * it when its directory is copied. A name that begins like these and is none of them, such as one
 * of a later version, is left out for all. '0' sorts before the framework's letters and digits
 * (torch goes by the sorted names), so that a rank finds its own graph before another rank's that
 * the framework wrote.
 *
 * Pure. CHILD, but for mark_name. */
#ifndef UNITS_MARK_H
#define UNITS_MARK_H

#include <stdint.h>

#include "shim/arena.h"

#define MARK_PREFIX "0reprise-"
/* The mark of a process that has none: every marked name is another one's. */
#define MARK_NONE 1u
/* Of a scope's text; above MARK_NONE. 64 bits: some thousand scopes look in one directory. */
uint64_t mark_of(const char *scope);
/* NULL without memory. THREAD. */
const char *mark_name(uint64_t mark, const char *member, struct arena *a);
/* 1: the name bears a mark, and not this one. */
int mark_is_of_other(const char *name, uint64_t mark);

#endif
