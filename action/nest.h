/* action/nest.h - actions inside an action: the steps of nvcc.
 *
 * A parent action is a recorded tool whose row says that it nests. Each tool that it starts is a
 * step: an action of its own, with key, look-up, replay or recording, lock and remote store. The
 * parent action's trace does not see the processes of a step.
 *
 * When a step ends, it writes its inputs and outputs into the parent action's trace, as ordinary
 * events. The events come from the candidate that held or was stored, so a replayed step and a
 * recorded step write the same events. The step also writes the parts of its action key that the
 * parent action's key lacks. These are its program, its libraries, the content of files that argv
 * names and the variables of its row.
 *
 * A step refuses the parent action if it was not stored, or if its key holds what events cannot
 * express. A bypassed step runs as a traced process. So does a step of the host's pass whose key is
 * new in its directory. Such a step is looked up again only when the parent action misses for
 * another reason than its source.
 *
 * Locks: the parent action's lock is taken before the locks of its steps. No step waits for a
 * parent action, and waits are bounded.
 *
 * Constructor of a tool and its supervisor only. */
#pragma once

#include "action/action.h"
#include "trace/tree.h"

/* The files that stood at a step's output paths before the step wrote or ran. */
struct nest_before;

/* Begins a nested start. The parent action's trace gets no event until one of the calls below. */
void nest_begin(struct action *a);
/* 1: this miss is recorded only as part of the parent action, without a manifest of its own. This
 * holds for the first start in this directory of a preprocessor, or of a tool whose row asks for
 * it. Call it once, after the look-up. */
int nest_first(struct action *a);
/* Notes which files stand at the output paths. Call it before a replay touches outputs. */
void nest_before_replay(struct action *a, const struct result *r);
/* Call it when a replay is done. Writes the inputs of a->start.verdict.held and the outputs of r
 * into the parent action's trace, and ends this process's part of the trace. */
void nest_replayed(struct action *a, const struct result *r);
/* Called by the supervisor of a recorded step. Reports a->start.verdict.held to the parent action,
 * or the reason why the parent action cannot be stored. t holds the events of the step's tree. They
 * tell which files were at the paths of its outputs before. */
void nest_recorded(struct action *a, enum reason reason, const struct result *r, struct tree *t);
/* The step runs for real in this process, as a traced process. Every step does so with
 * REPRISE_NEST=0, or when REPRISE_TOOLS leaves the tool out. Then only the command line shows that
 * the step's result depends on this processor. */
void nest_bypassed(struct action *a);
