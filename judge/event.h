/* judge/event.h - the event that a start leaves (store/events.h). THREAD. */
#ifndef JUDGE_EVENT_H
#define JUDGE_EVENT_H

#include "judge/start.h"
#include "store/event.h"

/* Appends the start's event, at its end. reason: REASON_NONE for a hit. worth: ns that a replayed
 * result took when it was recorded. bytes: replayed or stored. */
void judge_event(struct start *s, enum event_verdict verdict, enum reason reason, int64_t worth,
                 uint64_t bytes);

#endif
