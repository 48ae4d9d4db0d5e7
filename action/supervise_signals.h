/* action/supervise_signals.h - what a recorded tool is told by signals, and what its supervisor is
 * told of it.
 *
 * All signals of the supervisor wait in its signalfd. Each one goes on to the child, unless the
 * kernel has sent it to both. If the child stops, the supervisor stops by the same signal. If it
 * ends, s->ended and s->status are set. Supervisor only. Memory: none. */
#ifndef ACTION_SUPERVISE_SIGNALS_H
#define ACTION_SUPERVISE_SIGNALS_H

#include "action/supervise.h"

/* Takes the signals that wait. */
void supervise_take_signals(struct supervisor *s);

#endif
