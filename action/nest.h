/* action/nest.h - actions inside an action: the steps of nvcc.
 *
 * Below a recording tool whose row nests, a tool is an action of its own: key, look-up, replay or record, lock and
 * remote store as ever. The trace of the whole does not see the step's processes: when the step is done, the step
 * itself writes into it what it depended on and what it left, as events like any other; from the candidate that held
 * or was stored, so that a replayed step and one that ran say the same. What it depended on beyond its candidate,
 * the part of its action key that is not of the whole's (program, libraries, the content of what argv names,
 * variables of its row), goes with it. A step that was not stored, or that was keyed by what events
 * cannot say, refuses the whole. A step that is bypassed runs as a traced process, and so does a step of the host's pass
 * whose key is new in its directory: it is asked for again only when the whole is a miss for another reason than its source.
 *
 * Locks: the whole's is taken before its steps', no step waits for a whole, and waits are bounded.
 *
 * Constructor of a tool and its supervisor only. */
#ifndef ACTION_NEST_H
#define ACTION_NEST_H

#include "action/action.h"
#include "judge/tree.h"

/* For a file that the step left: what stood there before, asked before the step writes or runs. */
struct nest_before;

/* At the begin of a nested start: the whole's trace hears nothing until one of the following. */
void nest_begin(struct action *a);
/* A miss that the whole's trace shall have and no manifest of its own: of a preprocessor, or of a tool whose row says so, that comes
 * for the first time in this directory. To be asked once, after the look-up. */
int nest_first(struct action *a);
/* Before outputs are touched by a replay: what stands at their paths. */
void nest_before_replay(struct action *a, const struct result *r);
/* A replay is done: a->start.verdict.held and r say what the whole shall know; ends this process's part of the trace. */
void nest_replayed(struct action *a, const struct result *r);
/* The supervisor of a recorded step: a->start.verdict.held, or why nothing was kept that the whole could go by. t: what the step's
 * tree did, for what stood at its outputs' paths before. */
void nest_recorded(struct action *a, enum reason reason, const struct result *r, struct tree *t);
/* The step runs for real in this process, as a traced one. With REPRISE_NEST=0, or where REPRISE_TOOLS leaves the tool out, every
 * step does: its command line alone says that its result is of this processor. */
void nest_bypassed(struct action *a);

#endif
