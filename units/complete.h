/* units/complete.h - a framework has completed a unit: one record for the publisher (units/offer.h).
 *
 * What the store knows already is not offered: a start of a thousand warm kernels appends nothing. The first record
 * after a while starts the publisher (units/background.h). Part of units/host.h. errno is not kept. THREAD, not in a vfork child. */
#ifndef UNITS_COMPLETE_H
#define UNITS_COMPLETE_H

#include "units/lookup.h"

/* l as unit_lookup_open left it, and l->made. 0. */
int complete(struct unit_lookup *l);

#endif
