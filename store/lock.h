/* store/lock.h - single flight on a node: one holder per key, released by the kernel.
 *
 * One file, <runtime>/locks; a key is a byte range of it under an open-file-description lock, so there is
 * no file per key and nothing to clean. A killed holder's lock is gone with its descriptor. Forked
 * children must lock_forget() (the descriptor is shared after fork; closing it there is harmless, an
 * unlock is not). A second table in the file remembers for some seconds that a key's run was not
 * storable, so that waiters do not queue up behind each other for nothing. THREAD. */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include <stdint.h>

#include "shim/digest.h"

enum lock_status { LOCK_HELD, LOCK_TIMEOUT, LOCK_UNSTORABLE, LOCK_FAULT };
struct lock {
	int fd; /* -1: none */
	uint64_t at;
};
#define LOCK_INIT {-1, 0}
/* Waits up to wait_ns, polling with growing pauses (0.2 to 5 ms). UNSTORABLE: the last holder said so
 * while or just before we waited: run without us. waited_ns may be NULL. */
enum lock_status lock_take(struct lock *l, const char *runtime_dir, const struct digest *key,
                           int64_t wait_ns, int64_t *waited_ns);
void lock_release(struct lock *l);
/* In a forked child: closes our copy, leaves the lock. */
void lock_forget(struct lock *l);
/* 1 when somebody holds it, without taking it. */
int lock_busy(const char *runtime_dir, const struct digest *key);
/* By the holder, before release. */
void lock_mark_unstorable(struct lock *l, const struct digest *key);

#endif
