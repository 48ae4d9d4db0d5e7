/* judge/tree_failed.h - the cause of the error of an open, a look or a start. Pure. THREAD. */
#ifndef JUDGE_TREE_FAILED_H
#define JUDGE_TREE_FAILED_H

#include "judge/tree_kernel.h"

/* 1: the error comes from the moment or the machine, and no input could hold it. */
int tree_of_machine(unsigned error, enum tree_special special);
/* 1: the error comes from permissions. */
int tree_denies(unsigned error);

#endif
