/* units/miss_report.h - records why a unit was not found, for `reprise explain` and `reprise
 * stats`.
 *
 * Part of units/host.h. THREAD; not in a vfork child. errno is not kept. */
#ifndef UNITS_MISS_REPORT_H
#define UNITS_MISS_REPORT_H

#include "units/lookup.h"

/* l is open: no source had the unit, or l->why says more. One record for each. */
void miss_report_absent(struct unit_lookup *l);
/* unit_lookup_open refused, or the lookup was refused, as l->why says: no unit of the class is
 * given to this process. Nothing is recorded without l->why, as with REPRISE_FORCE_DISABLE, and
 * where the path is there. completed: a unit was made, and is not kept; that is recorded of the
 * user's own classes. One record for each class and cause in the life of the process and of
 * those that it forks, at most MISS_REPORT_CAUSES_MAX, so that a program that looks for thousands
 * of units writes some lines. */
#define MISS_REPORT_CAUSES_MAX 32
void miss_report_off(struct unit_lookup *l, int completed);

#endif
