/* judge/flight.h - which starts wait for one run.
 *
 * Of the starts with one flight, one runs at a time, and the others wait for its result. The flight
 * is a digest of the action key, of the definitions that this key leaves out, and of each name to
 * which the result will be bound. So a start does not wait for a run that is bound to other names.
 * Before a run, the bindings are not known. They are taken from candidates of earlier runs, or else
 * from the driver's table and the sources. A wrong guess costs a wait or a second run. The result
 * is the same. THREAD. */
#ifndef JUDGE_FLIGHT_H
#define JUDGE_FLIGHT_H

#include "judge/start.h"

/* Completes s->flight, after a look-up and before the first use of it. A second call does
 * nothing. */
void judge_flight(struct start *s);

#endif
