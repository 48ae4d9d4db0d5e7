/* judge/wait/flight.h - which starts wait for one run.
 *
 * Of the starts with one flight, one runs at a time, and the others wait for its result. The flight
 * is a digest of the action key, of the definitions that this key leaves out, and of each name to
 * which the result will be bound. So a start does not wait for a run that is bound to other names.
 * Before a run, the bindings are not known. They are taken from candidates of earlier runs, or else
 * from the driver's table and the sources. A wrong guess costs a wait or a second run. The result
 * is the same. THREAD. */
#pragma once

#include "judge/start.h"
#include "store/lock.h"

/* Completes s->flight, after a look-up and before the first use of it. A second call does
 * nothing. */
void judge_flight(struct start *s);

/* Of the starts that one result serves, one runs and the others wait.
 *
 * A start waits for the run of another process only while that run may serve it, and only once:
 *  - its flight is the same, so the result is not bound to other names;
 *  - none of the files that the run has read differs here (judge/wait/leader.h);
 *  - it goes on: it is not stopped, and most of the time one of its processes runs or waits for a
 *    processor. So a wait takes about as long as the start's own run would take.
 * A start that waits no more runs at once, beside the other one, and does not take the lock.
 * A run inside a host has no trace that others read. */

/* HELD: the caller records under the lock. TIMEOUT, FAULT: it records without. UNSTORABLE: it runs
 * without a recording. Adds a wait to the counters and to the start's times. *waited: 1 if another
 * process may have stored a result meanwhile. */
enum lock_status single_flight(struct start *s, struct lock *lock, int *waited);
