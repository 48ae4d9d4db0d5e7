/* judge/clang_config.h - arguments that a file adds to the command line. THREAD. */
#ifndef JUDGE_CLANG_CONFIG_H
#define JUDGE_CLANG_CONFIG_H

#include "judge/collect.h"

/* Marks the result bound to the cwd if f is a file of arguments. Refuses if f adds arguments. */
void collect_config(struct collect *k, const struct tree_file *f);

#endif
