/* units/refusal.h - entries of earlier versions that are in a store and are neither placed nor sent
 * any more. THREAD. */
#ifndef UNITS_REFUSAL_H
#define UNITS_REFUSAL_H

#include "units/parcel.h"

/* NULL: the parcel is fine; else why it is refused, for people. name: the file's name in a class of
 * single files. */
const char *parcel_refusal(const struct parcel *p, const char *name, struct arena *a);

#endif
