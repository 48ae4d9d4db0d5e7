/* action/expansion.h - preprocesses a recorded compile's sources once more.
 *
 * Only a recording does this, and only if it would otherwise bind its result because a text could
 * ask for a name. The run is no action. It sees the job's environment and working directory, and
 * can write only to its standard output (shim/kernel/read_only.h). A compiler that wants to write
 * more fails, and its result stays bound. */
#ifndef ACTION_EXPANSION_H
#define ACTION_EXPANSION_H

#include "judge/start.h"

/* preprocessor.expand for a compiler in a process of its own: a supervisor calls it after its
 * tool's end. */
int action_expand(struct start *s, struct buf *out);

#endif
