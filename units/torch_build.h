/* units/torch_build.h - which torch this process runs, as its loaded objects say. Nothing is opened but version.py,
 * and nothing asked of torch itself.
 *
 * dl_iterate_phdr takes the loader's lock: THREAD, but not in a process made by fork (a thread that is not there
 * any more may have held it), nor in a vfork child. */
#ifndef UNITS_TORCH_BUILD_H
#define UNITS_TORCH_BUILD_H

#include "shim/arena.h"
#include "shim/digest.h"

struct torch_build {
	struct digest torch; /* build id of libtorch_cpu.so, and the version.py beside its directory */
	int npu;             /* 1: libtorch_npu.so is loaded, too */
	struct digest npu_build;
	const char *python;  /* tag in the names of loaded extension modules, "cpython-311"; "" without any */
};
/* 0; -1: no torch here, or none that says which one it is; *why. */
int torch_build_read(struct torch_build *t, struct arena *a, const char **why);

#endif
