/* action/keep.h - a finished recording is bound to its names and stored; two results are compared. THREAD. */
#ifndef ACTION_KEEP_H
#define ACTION_KEEP_H

#include "action/action.h"

/* Binds and stores. REASON_NONE or why nothing was stored. */
enum reason judge_keep(struct action *a, struct candidate *c, struct result *r);
/* 1 when two results are equal once `old` is patched to this start's names. */
int judge_same_result(struct action *a, struct result *old, struct result *now);

#endif
