/* units/miss_report.h - a unit that was looked for and not brought: why, for `reprise explain` and `reprise stats`.
 *
 * Parts of units/host.h; THREAD, not in a vfork child. errno is not kept. */
#ifndef UNITS_MISS_REPORT_H
#define UNITS_MISS_REPORT_H

#include "units/lookup.h"

/* l as unit_lookup_open opened it: no source had the unit, or l->why. Each is one record. */
void miss_report_absent(struct unit_lookup *l);
/* l as unit_lookup_open left it, also where it refused: none of the class is brought to this process, as l->why says. Nothing where
 * l->why says nothing, as with REPRISE_FORCE_DISABLE, or the path stands. One record in the life of the process, and of those it forks, for each class and
 * cause, of MISS_REPORT_CAUSES_MAX at most, so that a program that looks for thousands writes some lines. */
#define MISS_REPORT_CAUSES_MAX 32
void miss_report_off(struct unit_lookup *l);

#endif
