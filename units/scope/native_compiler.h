/* units/scope/native_compiler.h - what Triton's start of a C compiler depends on, beside its input.
 * THREAD; not in a vfork child. */
#ifndef UNITS_SCOPE_NATIVE_COMPILER_H
#define UNITS_SCOPE_NATIVE_COMPILER_H

#include "units/scope/native_file.h"

/* Adds to r->s: CC, or gcc or clang in PATH; as and ld in PATH; what the linker takes from
 * LIBRARY_PATH. All programs of a name in PATH count, since one such as ccache starts the next.
 * A script counts with the program that it starts (units/scope/native_script.h).
 * NULL, or why no object is carried: a script does more, or a variable names directories with
 * headers or programs. */
const char *native_compiler(struct native *r);

#endif
