/* store/tracefile.h - the file into which the processes of a recording write their trace
 * (shim/trace.h).
 *
 * <runtime>/trace.<pid>.<n>, TRACE_CAPACITY long and sparse. The process that makes it holds an
 * open-file-description lock on the whole file, which ends with that process, however it ends. So a
 * trace that can be locked has no owner: the next process that makes a trace removes it, as does
 * `reprise gc`. Pids are not used for this, since another namespace may use the same ones. Where
 * locks do not work, nothing is removed. THREAD. */
#pragma once

#include <stdint.h>

#include "shim/path.h"

struct tracefile {
	char path[PATH_SIZE];
	int fd; /* above the standard streams, close-on-exec; holds the lock */
};

/* Makes a trace. 0; -1: the runtime directory takes no such file. umask: of the process. */
int tracefile_make(struct tracefile *t, const char *runtime_dir, unsigned umask);
/* For a forked child: closes its copy and leaves the lock. */
void tracefile_forget(struct tracefile *t);
void tracefile_remove(struct tracefile *t);
/* Removes traces without an owner and returns their number. */
uint64_t tracefile_sweep(const char *runtime_dir);
