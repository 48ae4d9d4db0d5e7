/* judge/lookup.h - asks the local store for a candidate whose inputs hold, and for its result.
 * THREAD. */
#pragma once

#include "judge/start.h"

/* 1: *out is a result to replay under this start's names. 0: start_missed() knows why not. */
int judge_lookup(struct start *s, struct result **out);
/* Notes that c was read from this slot (-1: not from the local store) and does not hold. Each
 * candidate is noted once, while there is room. A key of another kind (sloppy) begins with an empty
 * list. */
void judge_saw(struct verdict *verdict, struct candidate *c, int slot);
/* 1: a candidate with this K2 was noted. */
int judge_seen(const struct verdict *verdict, const struct digest *k2);
/* REASON_NONE: c may serve this start. Else why not, and s->verdict.detail says more. May call
 * preprocessor.expand. */
enum reason judge_candidate_holds(struct start *s, struct candidate *c);
/* The decoded result under K2. NULL: it is gone or damaged. */
struct result *judge_result(struct start *s, const struct digest *k2);
