/* judge/variants.h - candidates that differ in nothing but the surroundings of their runs.
 *
 * A compiler's messages differ with each width of a terminal, and a script may read any variable.
 * Without a limit, the variants of one action would drive all other candidates out of its manifest.
 * A few variants are kept, so that alternating settings are hits. THREAD. */
#ifndef JUDGE_VARIANTS_H
#define JUDGE_VARIANTS_H

#include "judge/start.h"

#define VARIANTS_MOST 4

/* The slot of the manifest in which c takes the place of its oldest variant. -1: there are fewer
 * than VARIANTS_MOST variants, or c depends on no stream, nothing inherited and no environment as a
 * whole. */
int variants_slot(const struct start *s, const struct candidate *c);

#endif
