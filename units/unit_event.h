/* units/unit_event.h - counters and events (store/events.h) of units. THREAD. */
#ifndef UNITS_UNIT_EVENT_H
#define UNITS_UNIT_EVENT_H

#include "units/lookup.h"
#include "units/offer.h"

/* A unit or member of bytes was placed where the job looked for it. */
void unit_event_brought(struct unit_lookup *l, uint64_t bytes);
/* No store had what the job looked for. why: for people. */
void unit_event_missed(struct unit_lookup *l, const char *why);
/* The offered unit is in the store now. */
void unit_event_packed(struct store *s, const struct offer *o, uint64_t bytes);

#endif
