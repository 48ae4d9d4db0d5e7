/* judge/start_event.h - the event that a start leaves (store/job/events.h). THREAD. */
#pragma once

#include "judge/start.h"
#include "store/job/event_record.h"

/* Appends the event of a start that was served: took, and worth when it was recorded (ns); bytes
 * that were replayed. */
void judge_event_hit(struct start *s, int64_t took, int64_t worth, uint64_t bytes);
/* Of any other start, at its end. */
void judge_event(struct start *s, enum event_verdict verdict, enum reason reason);

/* A start's command for people, as long as its field. */

/* Writes at most size - 1 bytes and NUL. A longer command keeps the tool's base name, its sources,
 * its output, options of one letter, and as many words from its end as fit. "..." stands for the
 * others, and for the beginning of a word that is longer than half of the size. size: 16 at
 * least. */
void command_text(char *out, size_t size, struct start *s);
