/* store/writers.h - files that processes of two recorded tools write at the same time.
 *
 * Two compilers may write one output in place, and the file may then hold bytes of both. No stamp
 * shows that to the one that ends last. So a traced process that opens a file to write it locks it
 * (flock), for as long as the file stays open. If it is locked, the process tells its own recorder
 * by its trace, and the other one by a note. fcntl() would make gcc --coverage wait for itself: it
 * locks its notes so.
 *
 * <runtime>/writers: WRITERS_SLOTS slots (store/shared_page.h), a file's chosen by its stamp.
 * The record:
 *   0  8  trace_made() of the file
 *   8  8  CLOCK_MONOTONIC when the second process opened it
 *
 * Locks are taken on ext4, xfs, btrfs, tmpfs and overlays only: elsewhere they may ask a server. */
#ifndef STORE_WRITERS_H
#define STORE_WRITERS_H

#include <stddef.h>
#include <stdint.h>

#define WRITERS_SLOTS 4096

/* 1: another process writes the file of fd, and a note was left for it in the runtime directory,
 * whose path has this length. NULL: nothing is done. 0: no other process, or not known. CHILD;
 * keeps errno. */
int writers_met(int fd, const char *runtime_dir, size_t len);
/* 1: such a note about the file was left since then (CLOCK_MONOTONIC). THREAD. */
int writers_noted(const char *runtime_dir, uint64_t made, int64_t since);

#endif
