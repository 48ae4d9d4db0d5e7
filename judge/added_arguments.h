/* judge/added_arguments.h - arguments that a file adds to the command line. THREAD. */
#ifndef JUDGE_ADDED_ARGUMENTS_H
#define JUDGE_ADDED_ARGUMENTS_H

#include "judge/collect.h"

/* Marks the result bound to the cwd if f is a file of arguments. Refuses if f adds arguments. */
void collect_added_arguments(struct collect *k, const struct tree_file *f);

#endif
