/* units/find/miss_report.h - records why a unit was not found, for `reprise explain` and `reprise
 * stats`.
 *
 * Part of units/host.h. THREAD; not in a vfork child. errno is not kept. */
#pragma once

#include "units/find/unit_lookup.h"
#include "units/format/parcel.h"

/* l is open: no store had the unit, or l->why says more. One record for each call. */
void miss_report_absent(struct unit_lookup *l);
/* unit_lookup_open refused, or the lookup was refused, as l->why says: no unit of the class is
 * given to this process. Nothing is recorded without l->why, as with REPRISE_FORCE_DISABLE, or if
 * the path exists. completed: a unit was made and is not kept, which is recorded for the user's own
 * classes. There is one record for each class and cause in the life of the process and its forked
 * children, and at most MISS_REPORT_CAUSES_MAX records. So a program that looks for thousands of
 * units writes only some lines. */
#define MISS_REPORT_CAUSES_MAX 32
void miss_report_off(struct unit_lookup *l, int completed);

/* Entries that are in a store and are neither placed nor sent: of earlier
 * versions, or made by hand. */

/* TorchAir loads no module of another mode. */
#define MODULE_MODE 0600u
/* NULL: the parcel is fine; else why it is refused, for people. name: the file's name in a class of
 * single files. */
const char *parcel_refusal(const struct parcel *p, const char *name, struct arena *a);
