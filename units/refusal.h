/* units/refusal.h - entries that are in a store and are neither placed nor sent: of earlier
 * versions, or made by hand. THREAD. */
#ifndef UNITS_REFUSAL_H
#define UNITS_REFUSAL_H

#include "units/parcel.h"

/* TorchAir loads no module of another mode. */
#define MODULE_MODE 0600u
/* NULL: the parcel is fine; else why it is refused, for people. name: the file's name in a class of
 * single files. */
const char *parcel_refusal(const struct parcel *p, const char *name, struct arena *a);

#endif
