/* store/foreign.h - checks a candidate from another writer, as far as this is possible without the
 * start that it would serve. `reprise fetch` and judge/confine.h both use it.
 *
 * A candidate must name the result that its own inputs and the action's key lead to (K2), not that
 * of another action. Its sets of absent names must have the digests that they claim, since the memo
 * trusts digests. Files that are read for it must lie outside of /dev, /proc and /sys. THREAD.
 * Memory: the caller's arena. */
#ifndef STORE_FOREIGN_H
#define STORE_FOREIGN_H

#include "store/candidate.h"

/* Checks everything that needs no directory. NULL, or the fault in words. */
const char *foreign_candidate(const struct digest *k1, const struct candidate *c);
/* 1: the content of an input of this kind is read. */
int foreign_reads(unsigned kind);
/* 1: the path (relative paths start at cwd) leads as text into /dev, /proc or /sys. A link could
 * lead there, too, but only a link that exists. */
int foreign_special(const char *cwd, const char *path, struct arena *a);
/* Checks a candidate for a start that the caller does not see: foreign_candidate(), and the inputs
 * as far as they need neither the start's names nor its directory. NULL, or the fault in words. */
const char *foreign_fetched(const struct digest *k1, const struct candidate *c, struct arena *a);

#endif
