/* jit/state.h - what all of jit/ shares: whether it serves, its lock, the process's variables. THREAD. */
#ifndef JIT_STATE_H
#define JIT_STATE_H

#include "shim/sys.h"

/* On in hosts alone; set by the constructor. */
extern int jit_on;
/* In a forked child: the loader's list has a lock that a thread of the parent may have held, and libc's fork does not renew
 * (glibc 2.36). What was known before goes on being served, and nothing else. */
extern int jit_forked;
/* The child of a fork frees the lock: the parent's other threads are not there. */
void jit_after_fork(void);

/* The one lock of jit/: held for some hundred instructions around its tables, and for a look into the loader's list. */
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

/* The process's variables as they stand now: programs set them late. */
char *const *jit_environment(void);

#endif
