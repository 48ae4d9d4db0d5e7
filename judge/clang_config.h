/* judge/clang_config.h - arguments that a file adds to the command line. THREAD. */
#ifndef JUDGE_CLANG_CONFIG_H
#define JUDGE_CLANG_CONFIG_H

#include "judge/collect.h"

void collect_config(struct collect *k, const struct tree_file *f);

#endif
