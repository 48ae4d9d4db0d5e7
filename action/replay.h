/* action/replay.h - outputs, streams and status of a result, under this start's names. */
#ifndef ACTION_REPLAY_H
#define ACTION_REPLAY_H

#include "action/action.h"

/* Writes everything and exits. Returns REASON_MISS_NAMES when the result does not fit this
 * start's names (nothing is touched then), REASON_BYPASS_REPLAY when an output could not be written,
 * REASON_MISS_REFUSED when one that is streamed is damaged. */
enum reason action_replay(struct action *a, struct result *r);

#endif
