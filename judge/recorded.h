/* judge/recorded.h - a finished recording is bound to its names and stored; two results are compared. THREAD. */
#ifndef JUDGE_RECORDED_H
#define JUDGE_RECORDED_H

#include "judge/start.h"

/* Binds and stores. REASON_NONE or why nothing was stored. */
enum reason judge_store(struct start *a, struct candidate *c, struct result *r);
/* 1 when two results are equal once `old` is patched to this start's names. */
int judge_same_result(struct start *a, struct result *old, struct result *now);

#endif
