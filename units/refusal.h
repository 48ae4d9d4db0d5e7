/* units/refusal.h - what the local store or a remote one may hold of earlier versions, and is neither laid nor sent any more. THREAD. */
#ifndef UNITS_REFUSAL_H
#define UNITS_REFUSAL_H

#include "units/parcel.h"

/* NULL, or why not, for people. name: what the file of a class of single files is called. */
const char *parcel_refusal(const struct parcel *p, const char *name, struct arena *a);

#endif
