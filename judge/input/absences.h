/* judge/input/absences.h - paths that the tree looked for and that did not exist, as inputs.
 * THREAD. */
#ifndef JUDGE_INPUT_ABSENCES_H
#define JUDGE_INPUT_ABSENCES_H

#include "judge/input/collect.h"

/* Makes room for the absences of the tree. 0, or -1: no memory. */
int collect_absences_init(struct collect *k);
/* Notes a path that did not exist. */
void collect_absent(struct collect *k, const struct tree_file *f);
/* Notes a path to which access was denied. 1: it counts as absent, since a search along PATH goes
 * on. */
int collect_denied(struct collect *k, const struct tree_file *f);
/* 1: the tree made and removed the file or directory. If the file had been there, the tree would
 * have removed it or failed. A replay does neither, so the absence is an input. */
int collect_came_and_went(struct collect *k, const struct tree_file *f);
/* Adds the absence of a path that the tree made because nothing was there. */
void collect_fresh(struct collect *k, const struct tree_file *f);
/* Adds all noted absences as inputs, grouped by directory. */
void collect_absences(struct collect *k);

#endif
