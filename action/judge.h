/* action/judge.h - from a finished recording to a candidate and a result, or a reason against.
 * Supervisor only. */
#ifndef ACTION_JUDGE_H
#define ACTION_JUDGE_H

#include "action/action.h"
#include "action/supervise.h"
#include "action/tree.h"

/* action/inputs.c: the inputs of the tree. Fills c->v. REASON_NONE or why nothing may be stored. */
enum reason judge_inputs(struct action *a, struct tree *t, struct candidate *c);
/* Names that one tool looks for; gcc's are two, an LTO link's ten. */
#define JUDGE_SEARCHES_MAX 128
/* action/search.c: the names that were looked for in directories of PATH, distinct. Their count, -1 when
 * there are more than names (JUDGE_SEARCHES_MAX) holds. */
int judge_searches(struct action *a, const struct tree *t, const char **names);

/* action/search.c: 1 for a file asked for directly in a directory of PATH. */
int judge_on_path(struct action *a, const char *file);

/* action/outputs.c: the outputs and streams. Fills r. */
enum reason judge_outputs(struct action *a, struct tree *t, struct supervisor *s, struct result *r);
/* action/outputs.c: what the tree knows of a path as the start spells it; NULL: it never met it. */
const struct tree_file *judge_tree_file(struct action *a, struct tree *t, const char *path);
/* action/surroundings.c: variables for a temporary directory, and nvcc's PATH, where what the tool left or said names a
 * file there, or PATH: inputs more. */
enum reason judge_temporary(struct action *a, struct tree *t, struct candidate *c, const struct result *r);
/* action/surroundings.c: the working directory, where an object of gcc's or clang's holds it and nothing bound it before. */
enum reason judge_cwd(struct action *a, struct tree *t, struct candidate *c, const struct result *r);
/* action/outputs.c: the start's names into r, which its patches are about. 0, or -1: no memory. */
int judge_result_names(struct action *a, struct result *r);
/* action/unseen.c: 1 when the run is shown independent of its names by what it did with them. Adds to c's
 * inputs what that rests on. */
int judge_names_unseen(struct action *a, struct candidate *c, const struct result *r);
/* action/unseen.c: 1 when the text spells one of the start's names. */
int judge_text_names(const struct action *a, const void *text, size_t n);
/* action/keep.c: binds, compares with earlier runs under other names, stores. */
enum reason judge_keep(struct action *a, struct candidate *c, struct result *r);
/* action/keep.c: 1 when two results are equal once `old` is patched to this start's names. */
int judge_same_result(struct action *a, struct result *old, struct result *now);

#endif
