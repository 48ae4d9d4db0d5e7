/* judge/recorded.h - binds a finished recording to its names and stores it; compares two results.
 * THREAD. */
#pragma once

#include "judge/start.h"

/* Binds and stores. Returns REASON_NONE, or why nothing was stored. */
enum reason judge_store(struct start *s, struct candidate *c, struct result *r);
/* 1: the two results are equal after `old` is patched to this start's names. */
int judge_same_result(struct start *s, struct result *old, struct result *now);

/* Candidates that differ in nothing but the surroundings of their runs.
 *
 * A compiler's messages differ with each width of a terminal, and a script may read any variable.
 * Without a limit, the variants of one action would drive all other candidates out of its manifest.
 * A few variants are kept, so that alternating settings are hits. THREAD. */

#define VARIANTS_MOST 4

/* The slot of the manifest in which c takes the place of its oldest variant. -1: there are fewer
 * than VARIANTS_MOST variants, or c depends on no stream, nothing inherited and no environment as a
 * whole. */
int variants_slot(const struct verdict *verdict, const struct candidate *c);
