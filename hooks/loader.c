/* hooks/loader.c - objects that a program loads and closes again: ld and ar do so with their plugins.
 *
 * dlopen itself is left alone: whoever stands between it and its caller breaks $ORIGIN in the caller's
 * RUNPATH (facts on the loader in docs/internals/coverage.md). What is loaded is told before it goes, and at exit. */
#include <dlfcn.h>

#include "shim/real.h"
#include "shim/trace.h"

EXPORT int dlclose(void *handle)
{
	if (trace_process())
		trace_loaded();
	return REAL(dlclose) ? REAL(dlclose)(handle) : -1;
}
