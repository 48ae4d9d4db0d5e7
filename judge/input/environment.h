/* judge/input/environment.h - variables, the search along PATH and the working directory, as
 * inputs. */
#ifndef JUDGE_INPUT_ENVIRONMENT_H
#define JUDGE_INPUT_ENVIRONMENT_H

#include "judge/input/collect.h"

/* Adds a variable's value as an input. THREAD. */
void collect_variable(struct collect *k, const char *name);
/* THREAD. */
void collect_environment(struct collect *k);
/* THREAD. Digest of all variables, other than those that no result depends on
 * (tool_env_ignored()), and PWD. -1: no memory. */
int environment_digest(const struct tool_row *row, const struct invocation *call,
                       struct arena *arena, struct digest *d);
/* THREAD. */
void collect_searches(struct collect *k);
/* THREAD. Call it last, when it is known whether the result is bound to the directory. */
void collect_cwd(struct collect *k);
/* Adds the variables for a temporary directory if an output or message names a file there. Adds
 * nvcc's PATH if an output or message names a directory of PATH. */
enum reason judge_temporary(struct start *s, struct tree *t, struct candidate *c,
                            const struct result *r);
/* Adds the working directory if an object of gcc or clang holds it and nothing else bound the
 * result to it. */
enum reason judge_cwd(struct start *s, struct tree *t, struct candidate *c, const struct result *r);

#endif
