/* units/unit_counters.h - counters of units, in total and for each class. THREAD. */
#ifndef UNITS_UNIT_COUNTERS_H
#define UNITS_UNIT_COUNTERS_H

#include "store/counters.h"
#include "units/shape.h"

/* packed: a unit was put into the store. brought: a unit was placed where a job looked for it.
 * bytes: of its files. */
void unit_counters_packed(struct store *s, enum unit_class class, uint64_t bytes);
void unit_counters_brought(struct store *s, enum unit_class class, uint64_t bytes);
/* The class's own counter. */
enum counter unit_counter_packed(enum unit_class class);
enum counter unit_counter_brought(enum unit_class class);

#endif
