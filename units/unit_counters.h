/* units/unit_counters.h - units that came and went, counted in all and by class. THREAD. */
#ifndef UNITS_UNIT_COUNTERS_H
#define UNITS_UNIT_COUNTERS_H

#include "store/counters.h"
#include "units/shape.h"

/* Put into the store; laid where a job looked. bytes: of its files. */
void unit_counters_packed(struct store *s, enum unit_class class, uint64_t bytes);
void unit_counters_brought(struct store *s, enum unit_class class, uint64_t bytes);
/* The counter of a class, for stats. */
enum counter unit_counter_packed(enum unit_class class);
enum counter unit_counter_brought(enum unit_class class);

#endif
