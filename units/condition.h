/* units/condition.h - whether a member's conditions hold in this process (units/member.h).
 *
 * A condition names a source and its content. It holds where both are so:
 *   - the source has that content, and has not changed since some seconds before the process began;
 *   - this process looked at that file (units/seen_files.h). Of a directory that was copied and
 *     edited the first one still exists, with the old source, and the program runs the other. */
#ifndef UNITS_CONDITION_H
#define UNITS_CONDITION_H

#include <stdint.h>

#include "shim/arena.h"
#include "units/member.h"

/* 1, or 0 with *why. began: start of this process, s since 1970; 0: not known. THREAD. */
int condition_all_hold(const struct member *m, int64_t began, struct arena *a, const char **why);

#endif
