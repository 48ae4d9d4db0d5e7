/* store/foreign.h - what a candidate that others made may name, as far as it is seen without the start that it would serve:
 * the half of judge/confine.h that `reprise fetch` asks as well.
 *
 * A candidate names the result that its own inputs and the action's key lead to (K2), not another action's; its sets of absent
 * names have the digests they claim, since the memo vouches by digest; what is digested for it lies outside of /dev, /proc and
 * /sys. THREAD. Memory: the caller's arena. */
#ifndef STORE_FOREIGN_H
#define STORE_FOREIGN_H

#include "store/candidate.h"

/* NULL, or why not, for people: all that needs no directory. */
const char *foreign_candidate(const struct digest *k1, const struct candidate *c);
/* 1: the content of an input of this kind is read. */
int foreign_reads(unsigned kind);
/* 1: the path, from cwd where it is relative, leads as text into /dev, /proc or /sys. A link could as well, but only one that
 * is there. */
int foreign_special(const char *cwd, const char *path, struct arena *a);
/* NULL, or why not, for who brings it for a start that it does not see: foreign_candidate(), and of inputs what needs neither the
 * start's names nor its directory. */
const char *foreign_fetched(const struct digest *k1, const struct candidate *c, struct arena *a);

#endif
