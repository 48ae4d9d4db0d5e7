/* store/lock.h - single flight on a node: one holder per key, released by the kernel.
 *
 * All locks are in one file, <runtime>/locks. A key is a byte range of the file under an
 * open-file-description lock. So there is no file per key and nothing to clean, and the lock of a
 * killed holder ends with its descriptor. Forked children must call lock_forget(): they share the
 * descriptor, so closing it is harmless, but unlocking is not. A table in the file notes for some
 * seconds that a key's run could not be stored. So waiters do not wait for each other in vain.
 * Another table says which process holds a lock: nobody waits for a process that is stopped.
 * THREAD. */
#pragma once

#include <stdint.h>

#include "shim/digest.h"

/* The thread that holds a lock, for those that wait. A hint: another key may have its slot. */
struct lock_holder {
	int tid;    /* 0: not known, or of another pid namespace */
	int64_t at; /* CLOCK_BOOTTIME ns when it took the lock */
};
enum lock_status { LOCK_HELD, LOCK_TIMEOUT, LOCK_UNSTORABLE, LOCK_FAULT };
struct lock {
	int fd; /* -1: none */
	uint64_t at;
};
#define LOCK_INIT {-1, 0}
/* Waits up to wait_ns, polling with growing pauses (0.2 to 5 ms). TIMEOUT also where the holder is
 * stopped. UNSTORABLE: the last holder marked the key during or just before our wait, so the caller
 * runs without the lock. waited_ns may be NULL. */
enum lock_status lock_take(struct lock *l, const char *runtime_dir, const struct digest *key,
                           int64_t wait_ns, int64_t *waited_ns);
/* The same, and TIMEOUT as soon as goes_on() returns 0. It is asked between two pauses. */
enum lock_status lock_take_while(struct lock *l, const char *runtime_dir, const struct digest *key,
                                 int (*goes_on)(void *context, const struct lock_holder *holder,
                                                int64_t waited_ns),
                                 void *context, int64_t *waited_ns);
void lock_release(struct lock *l);
/* For a forked child: closes its copy and leaves the lock. */
void lock_forget(struct lock *l);
/* 1 if a process holds the lock; does not take it. */
int lock_busy(const char *runtime_dir, const struct digest *key);
/* 1 if a signal has stopped the process that took the lock last. */
int lock_stopped(const char *runtime_dir, const struct digest *key);
/* Called by the holder, before release. */
void lock_mark_unstorable(struct lock *l, const struct digest *key);
