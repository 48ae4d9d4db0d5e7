/* hooks/loader.c - objects that a program loads and closes again: ld and ar do so with their
 * plugins.
 *
 * dlopen itself is not hooked: a function between it and its caller breaks $ORIGIN in the caller's
 * RUNPATH (facts on the loader in docs/internals/coverage.md). Loaded objects are recorded before
 * they are closed, and at exit. */
#include <dlfcn.h>

#include "shim/real.h"
#include "shim/trace.h"

EXPORT int dlclose(void *handle)
{
	if (trace_process())
		trace_loaded();
	return REAL(dlclose) ? REAL(dlclose)(handle) : -1;
}
