/* units/missed.h - a unit that was looked for and not brought: why, for `reprise explain` and `reprise stats`.
 *
 * Parts of units/host.h; THREAD, not in a vfork child. errno is not kept. */
#ifndef UNITS_MISSED_H
#define UNITS_MISSED_H

#include "units/bring.h"

/* b as bring_open opened it: no source had the unit, or b->why. Each is one record. */
void missed_absent(struct bring *b);
/* b as bring_open left it, also where it refused: none of the class is brought to this process, as b->why says. Nothing where
 * b->why says nothing, as with REPRISE_FORCE_DISABLE, or the path stands. One record in the life of the process, and of those it forks, for each class and
 * cause, of MISSED_CAUSES_MAX at most, so that a program that looks for thousands writes some lines. */
#define MISSED_CAUSES_MAX 32
void missed_refused(struct bring *b);

#endif
