/* judge/inputs.h - the inputs of a recorded tree. THREAD. */
#ifndef JUDGE_INPUTS_H
#define JUDGE_INPUTS_H

#include "judge/start.h"
#include "judge/tree.h"

/* Fills c->v. REASON_NONE or why nothing may be stored. */
enum reason judge_inputs(struct start *a, struct tree *t, struct candidate *c);
/* Time and size of a file, as ptx_canonical() asks for those of sources. 0, or -1: it cannot be asked. ctx is not used. */
int judge_source_times(void *ctx, const char *path, long long *mtime, unsigned long long *size);

#endif
