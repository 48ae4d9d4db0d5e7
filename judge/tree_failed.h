/* judge/tree_failed.h - whose doing an error is that an open, a look or a start ended with. Pure. THREAD. */
#ifndef JUDGE_TREE_FAILED_H
#define JUDGE_TREE_FAILED_H

#include "judge/tree_special.h"

/* Of the moment and the machine, and of nothing that an input could hold. */
int tree_of_machine(unsigned error, enum tree_special special);
/* Of permissions. */
int tree_denies(unsigned error);

#endif
