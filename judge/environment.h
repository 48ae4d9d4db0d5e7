/* judge/environment.h - variables, what PATH finds and the working directory, as inputs. */
#ifndef JUDGE_ENVIRONMENT_H
#define JUDGE_ENVIRONMENT_H

#include "judge/collect.h"

/* THREAD. */
void collect_environment(struct collect *k);
/* THREAD. */
void collect_searches(struct collect *k);
/* THREAD. Last: it knows by then whether the result is bound to the directory. */
void collect_cwd(struct collect *k);
/* Variables for a temporary directory, and nvcc's PATH, where what the tool left or said names a
 * file there, or PATH: inputs more. */
enum reason judge_temporary(struct start *a, struct tree *t, struct candidate *c, const struct result *r);
/* The working directory, where an object of gcc's or clang's holds it and nothing bound it before. */
enum reason judge_cwd(struct start *a, struct tree *t, struct candidate *c, const struct result *r);

#endif
