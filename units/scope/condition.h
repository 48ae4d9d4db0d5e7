/* units/scope/condition.h - whether a member's conditions hold in this process
 * (units/format/member.h).
 *
 * A condition names a source and its content. It holds if both of these are true:
 *   - the source has that content, and has not changed since some seconds before the process began;
 *   - this process looked at that file (units/shape/seen_files.h). If a directory was copied and
 * the copy
 *     edited, the old source still exists in the first directory, but the program runs the copy. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"
#include "shim/settings/settings.h"
#include "units/class.h"
#include "units/format/member.h"

/* 1, or 0 with *why. began: start of this process, s since 1970; 0: not known. THREAD. */
int condition_all_hold(const struct member *m, int64_t began, struct arena *a, const char **why);

/* Whether a class is on for this process. */

/* 1: the class is on. 0 with *why: REPRISE_CLASSES, REPRISE_FX_SCOPE, one of UNIT_SWITCHES or
 * torch's fresh_cache() turns it off, or there is no such class. Inductor has no variable that
 * turns off its autotuning's cache. */
int unit_class_on(enum unit_class class, const struct settings *set, char *const envp[],
                  const char **why);
