/* judge/absences.h - paths that were looked for and did not exist, as inputs. THREAD. */
#ifndef JUDGE_ABSENCES_H
#define JUDGE_ABSENCES_H

#include "judge/collect.h"

int collect_absences_init(struct collect *k);
/* A path that did not exist. */
void collect_absent(struct collect *k, const struct tree_file *f);
/* One that was denied. 1: it counts as an absence, since a search along PATH goes on. */
int collect_denied(struct collect *k, const struct tree_file *f);
/* One whose absence let the tree make it. */
void collect_fresh(struct collect *k, const struct tree_file *f);
/* Then all of the first kind, by directory. */
void collect_absences(struct collect *k);

#endif
