/* units/switches.h - whether a class is on for this process. THREAD. */
#ifndef UNITS_SWITCHES_H
#define UNITS_SWITCHES_H

#include "shim/settings.h"
#include "units/class.h"

/* 1: the class is on. 0 with *why: REPRISE_CLASSES, REPRISE_FX_SCOPE, one of UNIT_SWITCHES or
 * torch's fresh_cache() turns it off, or there is no such class. Inductor has no variable that
 * turns off its autotuning's cache. */
int unit_class_on(enum unit_class class, const struct settings *set, char *const envp[],
                  const char **why);

#endif
