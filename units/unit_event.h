/* units/unit_event.h - counters and events (store/job/events.h) of units. THREAD. */
#pragma once

#include "store/job/counters.h"
#include "units/find/unit_lookup.h"
#include "units/offer.h"
#include "units/shape/shape.h"

/* A unit or member of bytes was placed where the job looked for it. */
void unit_event_brought(struct unit_lookup *l, uint64_t bytes);
/* No store had what the job looked for. why: for people. */
void unit_event_missed(struct unit_lookup *l, const char *why);
/* The offered unit is in the store now. */
void unit_event_packed(struct store *s, const struct offer *o, uint64_t bytes);

/* Counters of units, in total and for each class. */

/* packed: a unit was put into the store. brought: a unit was placed where a job looked for it.
 * bytes: of its files. */
void unit_counters_packed(struct store *s, enum unit_class class, uint64_t bytes);
void unit_counters_brought(struct store *s, enum unit_class class, uint64_t bytes);
/* The class's own counter. */
enum counter unit_counter_packed(enum unit_class class);
enum counter unit_counter_brought(enum unit_class class);
