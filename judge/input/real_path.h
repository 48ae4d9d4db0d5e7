/* judge/input/real_path.h - the answers of readlink and realpath as inputs. THREAD. */
#ifndef JUDGE_INPUT_REAL_PATH_H
#define JUDGE_INPUT_REAL_PATH_H

#include "judge/input/collect.h"

/* 1: realpath answered with the path itself. */
int real_path_is_itself(const struct tree_file *f);
/* 1: realpath was asked, and its answer reaches nothing, here and under the names that may stand
 * for this one. It is compared with the output; action/ refuses a start where both are one file. A
 * source has its shorter name only as a header of a system directory. */
int real_path_is_free(struct collect *k, const struct tree_file *f);
/* The input is the answer of readlink or realpath. */
void collect_answer(struct collect *k, const struct tree_file *f, unsigned kind,
                    const char *answer);
/* Adds the answer of realpath. held: an input of the file says the same already. */
void collect_real_path(struct collect *k, const struct tree_file *f, int held);

#endif
