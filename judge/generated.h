/* judge/generated.h - files with generated names below a script that may look at its arguments.
 *
 * gcc passes arguments such as /tmp/ccXXXXXX.s. If a script uses letters of such a name, its
 * effect differs in each run, and no input holds the name. THREAD. */
#ifndef JUDGE_GENERATED_H
#define JUDGE_GENERATED_H

#include "judge/start.h"
#include "judge/tree.h"
#include "store/result.h"

/* REASON_NONE, or why the result may not be stored: a script saw the names of its arguments, and
 * the result holds one that was generated. */
enum reason judge_generated(struct start *s, const struct tree *t, const struct result *r);

#endif
