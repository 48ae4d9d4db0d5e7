/* jit/spin.h - the one lock of jit/: held for some hundred instructions around its tables, and for a look into the loader's
 * list. A forked child frees it (the parent's other threads are not there). THREAD. */
#ifndef JIT_SPIN_H
#define JIT_SPIN_H

#include "shim/sys.h"

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

#endif
