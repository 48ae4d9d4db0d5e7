/* units/native_build.h - compiles whose result a unit carries. */
#pragma once

#include "shim/settings/settings.h"

/* 1: the compiler makes a module that Triton then puts into its directory, and the class that
 * carries it from there is on. Reads the arguments alone. TOOL. */
int unit_native_build(char *const argv[], const struct settings *set, char *const envp[]);
