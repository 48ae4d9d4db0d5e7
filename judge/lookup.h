/* judge/lookup.h - the local store is asked: candidates whose inputs hold, and the result of one. THREAD. */
#ifndef JUDGE_LOOKUP_H
#define JUDGE_LOOKUP_H

#include "judge/start.h"

/* 1 and a result to replay under this start's names; 0 and a->verdict.reason. */
int judge_lookup(struct start *a, struct result **out);
/* c was read and does not hold; once each, as many as find room. A key of another kind (sloppy) begins
 * with none. */
void judge_saw(struct start *a, struct candidate *c);
int judge_seen(const struct start *a, const struct digest *k2);
/* 1 when c may serve this start; else *why, and a->verdict.detail. */
int judge_candidate_holds(struct start *a, struct candidate *c, enum reason *why);
/* Result under K2, decoded; NULL with a->verdict.reason set when it is gone or damaged. */
struct result *judge_result(struct start *a, const struct digest *k2);

#endif
