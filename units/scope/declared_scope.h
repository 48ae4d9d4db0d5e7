/* units/scope/declared_scope.h - the scope of a unit of the user's own classes. Allocates from an
 * arena only. THREAD; not in a vfork child. */
#ifndef UNITS_SCOPE_DECLARED_SCOPE_H
#define UNITS_SCOPE_DECLARED_SCOPE_H

#include <stdint.h>

#include "shim/arena.h"
#include "units/shape/shape.h"

/* 1: the scope text, as declared_scope makes it, belongs to this class. Pure. */
int declared_owns(const struct unit_path *u, const char *scope);

/* The scope of a unit of these classes, or NULL with *why: "unit=<name> kind=file A=<digest>
 * /b=<digest> path=<shape>". A variable's value is never part of it, only its digest. began: start
 * of this process, s since 1970; 0: not known. NULL also if a file changed since then, or is
 * missing: then it is not known whether the unit was made from that file. */
const char *declared_scope(const struct unit_path *u, char *const envp[], int64_t began,
                           struct arena *a, const char **why);

#endif
