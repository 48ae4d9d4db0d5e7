/* units/tally.h - units that came and went, counted in all and by class. THREAD. */
#ifndef UNITS_TALLY_H
#define UNITS_TALLY_H

#include "store/counters.h"
#include "units/shape.h"

/* Put into the store; laid where a job looked. bytes: of its files. */
void tally_packed(struct store *s, enum unit_class class, uint64_t bytes);
void tally_brought(struct store *s, enum unit_class class, uint64_t bytes);
/* The counter of a class, for stats. */
enum counter tally_packed_of(enum unit_class class);
enum counter tally_brought_of(enum unit_class class);

#endif
