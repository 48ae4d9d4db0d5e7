/* store/writers.h - files that two recorded tools, or a tool and a replay, write at the same time.
 *
 * Two compilers may write one output in place, and the file may then hold bytes of both. No stamp
 * shows that to the one that ends last. So the one that ends first, or replays, leaves a note for
 * it. Whether another process has the file open is asked by a lease, which is returned at once:
 * a lock on a job's file would be noticed by tools that lock it themselves.
 *
 * <runtime>/writers: WRITERS_SLOTS slots (store/shared_page.h), a file's chosen by its stamp.
 * The record:
 *   0  8  trace_made() of the file
 *   8  8  CLOCK_MONOTONIC when it was found open */
#ifndef STORE_WRITERS_H
#define STORE_WRITERS_H

#include <stdint.h>

#define WRITERS_SLOTS 4096

/* 1: another process has the file open, and a note was left for it in the runtime directory (NULL:
 * no note). kind: of shim/kernel/sys.h, sys_lease(). 0: no other process, or not known. THREAD. */
int writers_met(int fd, int kind, const char *runtime_dir);
/* 1: such a note about the file was left since then (CLOCK_MONOTONIC). THREAD. */
int writers_noted(const char *runtime_dir, uint64_t made, int64_t since);

#endif
