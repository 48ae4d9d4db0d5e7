/* judge/event.h - the event that a start leaves (store/events.h). THREAD. */
#ifndef JUDGE_EVENT_H
#define JUDGE_EVENT_H

#include "judge/start.h"
#include "store/event.h"

/* Appends the event of a start that was served: took, and worth when it was recorded (ns); bytes
 * that were replayed. */
void judge_event_hit(struct start *s, int64_t took, int64_t worth, uint64_t bytes);
/* Of any other start, at its end. */
void judge_event(struct start *s, enum event_verdict verdict, enum reason reason);

#endif
