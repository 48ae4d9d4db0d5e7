/* action/replay.h - writes outputs, streams and status of a result under this start's names. */
#ifndef ACTION_REPLAY_H
#define ACTION_REPLAY_H

#include "action/action.h"

/* Writes everything and exits. Returns only if that fails. REASON_MISS_NAMES: the result does not
 * fit this start's names, and nothing is touched. REASON_BYPASS_REPLAY: an output could not be
 * written. REASON_MISS_REFUSED: a streamed output is damaged. */
enum reason action_replay(struct action *a, struct result *r);

#endif
