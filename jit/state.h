/* jit/state.h - state that all of jit/ shares: whether it serves, its lock, the process's
 * variables. THREAD. */
#ifndef JIT_STATE_H
#define JIT_STATE_H

#include "shim/kernel/sys.h"

/* 1: libraries are served. The constructor sets it, in hosts alone. */
extern int jit_on;
/* 1 in a forked child. A thread of the parent may have held the lock of the loader's list, and
 * libc's fork does not renew that lock (glibc 2.36). So the child does not look into the list, and
 * only libraries that the parent knew are served. */
extern int jit_forked;
/* In the child of a fork. Frees the lock, since the parent's other threads do not exist there. */
void jit_after_fork(void);

/* The only lock of jit/. It is held for some hundred instructions around its tables, and while the
 * loader's list is read. */
extern int jit_spin;
static inline void jit_spin_take(void)
{
	while (__atomic_exchange_n(&jit_spin, 1, __ATOMIC_ACQUIRE))
		SYS0(SYS_sched_yield);
}
static inline void jit_spin_release(void)
{
	__atomic_store_n(&jit_spin, 0, __ATOMIC_RELEASE);
}

/* The process's variables now: programs set them late. */
char *const *jit_environment(void);

#endif
