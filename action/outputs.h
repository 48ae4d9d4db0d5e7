/* action/outputs.h - the outputs and streams of a recorded tree. */
#ifndef ACTION_OUTPUTS_H
#define ACTION_OUTPUTS_H

#include "action/action.h"
#include "action/supervise.h"
#include "action/tree.h"

/* Fills r. */
enum reason judge_outputs(struct action *a, struct tree *t, struct supervisor *s, struct result *r);
/* What the tree knows of a path as the start spells it; NULL: it never met it. */
const struct tree_file *judge_tree_file(struct action *a, struct tree *t, const char *path);
/* THREAD. The start's names into r, which its patches are about. 0, or -1: no memory. */
int judge_result_names(struct action *a, struct result *r);
/* 1: a recorded output that is a dependency file, by its name. */
int judge_is_depfile(struct action *a, const struct result_output *o);

#endif
