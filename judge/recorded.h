/* judge/recorded.h - binds a finished recording to its names and stores it; compares two results.
 * THREAD. */
#ifndef JUDGE_RECORDED_H
#define JUDGE_RECORDED_H

#include "judge/start.h"

/* Binds and stores. Returns REASON_NONE, or why nothing was stored. */
enum reason judge_store(struct start *s, struct candidate *c, struct result *r);
/* 1: the two results are equal after `old` is patched to this start's names. */
int judge_same_result(struct start *s, struct result *old, struct result *now);

#endif
