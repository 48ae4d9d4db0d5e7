/* units/scope/loaded_scope.h - the compiler that a framework brings along: libraries that the
 * process has loaded, as UNIT_LIBRARIES of units/units.def lists them for a class.
 *
 * Each counts by its size and its first 256 KiB, where an ELF file has its build id and symbols.
 * Reads /proc/self/maps and the libraries at each call. THREAD; not in a vfork child. */
#ifndef UNITS_SCOPE_LOADED_SCOPE_H
#define UNITS_SCOPE_LOADED_SCOPE_H

#include "shim/arena.h"
#include "shim/buf.h"
#include "units/class.h"

/* Appends "loaded=<hex>", after a space where b holds text. 0, or -1 with *why: one of the
 * libraries is not loaded, or cannot be read. */
int loaded_scope(struct buf *b, enum unit_class class, struct arena *a, const char **why);

#endif
