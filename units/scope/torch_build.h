/* units/scope/torch_build.h - which build of torch this process runs, by its loaded objects. Only
 * version.py is opened, and torch itself is not called.
 *
 * dl_iterate_phdr takes the loader's lock. THREAD, but not in a vfork child, nor in a process made
 * by fork: a thread that is gone may have held that lock. */
#ifndef UNITS_SCOPE_TORCH_BUILD_H
#define UNITS_SCOPE_TORCH_BUILD_H

#include "shim/arena.h"
#include "shim/digest.h"

struct torch_build {
	/* build id of libtorch_cpu.so, and the version.py beside its directory */
	struct digest torch;
	int npu;             /* 1: libtorch_npu.so is loaded */
	struct digest npu_build;
	/* tag in the names of loaded extension modules, "cpython-311"; "" without any */
	const char *python;
};
/* 0, or -1 with *why: torch is not loaded, or does not say which build it is. */
int torch_build_read(struct torch_build *t, struct arena *a, const char **why);

#endif
