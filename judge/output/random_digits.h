/* judge/output/random_digits.h - random numbers of a run in what it leaves. */
#ifndef JUDGE_OUTPUT_RANDOM_DIGITS_H
#define JUDGE_OUTPUT_RANDOM_DIGITS_H

#include "judge/start.h"
#include "store/entry/result.h"
#include "trace/tree.h"

/* THREAD. Each random number of the run is a digit of a name that the run gave to a file
 * (hooks/drawn.h). REASON_NONE, or REASON_UNSTORED_RANDOM if an output, its name or a stream holds
 * such digits or their seed. */
enum reason judge_random_digits(struct start *s, const struct tree *t, const struct result *r);

#endif
