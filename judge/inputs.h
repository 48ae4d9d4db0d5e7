/* judge/inputs.h - the inputs of a recorded tree. THREAD. */
#ifndef JUDGE_INPUTS_H
#define JUDGE_INPUTS_H

#include "judge/start.h"
#include "judge/tree.h"

/* Fills c->v. Returns REASON_NONE, or why nothing may be stored. */
enum reason judge_inputs(struct start *s, struct tree *t, struct candidate *c);
/* Time and size of a source, as ptx_canonical() asks for them. 0, or -1: they cannot be read. ctx
 * is not used. */
int judge_source_times(void *ctx, const char *path, long long *mtime, unsigned long long *size);

#endif
