/* store/tracefile.h - the file that a recording's processes write their trace into
 * (shim/trace.h).
 *
 * <runtime>/trace.<pid>.<n>, TRACE_CAPACITY long and sparse. Its maker holds an
 * open-file-description lock on all of it, which ends with the maker, whatever ends that. So a
 * trace that can be locked is nobody's, and the next one who makes a trace removes it, as does
 * `reprise gc`: no pid is asked, which another namespace may use as well. Where locks do not
 * work nothing is removed. THREAD. */
#ifndef STORE_TRACEFILE_H
#define STORE_TRACEFILE_H

#include <stdint.h>

#include "shim/path.h"

struct tracefile {
	char path[PATH_SIZE];
	int fd; /* above the standard streams, close-on-exec; holds the lock */
};

/* 0; -1: the runtime directory takes no such file. umask: of the process. */
int tracefile_make(struct tracefile *t, const char *runtime_dir, unsigned umask);
/* In a forked child: closes our copy, leaves the lock. */
void tracefile_forget(struct tracefile *t);
void tracefile_remove(struct tracefile *t);
/* How many that were nobody's are gone. */
uint64_t tracefile_sweep(const char *runtime_dir);

#endif
