/* judge/single_flight.h - of the starts that one result serves, one runs and the others wait.
 *
 * A start waits for the run of another process only while that run may serve it, and only once:
 *  - its flight is the same, so the result is not bound to other names (judge/flight.h);
 *  - none of the files that the run has read differs here (judge/leader.h);
 *  - it goes on: it is not stopped, and most of the time one of its processes runs or waits for a
 *    processor. So a wait takes about as long as the start's own run would take.
 * A start that waits no more runs at once, beside the other one, and does not take the lock.
 * A run inside a host has no trace that others read. THREAD. */
#ifndef JUDGE_SINGLE_FLIGHT_H
#define JUDGE_SINGLE_FLIGHT_H

#include "judge/start.h"
#include "store/lock.h"

/* HELD: the caller records under the lock. TIMEOUT, FAULT: it records without. UNSTORABLE: it runs
 * without a recording. Adds a wait to the counters and to the start's times. *waited: 1 if another
 * process may have stored a result meanwhile. */
enum lock_status single_flight(struct start *s, struct lock *lock, int *waited);

#endif
