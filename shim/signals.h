/* shim/signals.h - dispositions by raw system call: libc's sigaction has its own idea of some signals,
 * and may be somebody's hook. TOOL processes' constructor and supervisor only. */
#ifndef SHIM_SIGNALS_H
#define SHIM_SIGNALS_H

#include <signal.h>

#include "shim/sys.h"

/* struct sigaction as the kernel has it. No handler of ours ever runs: SIG_DFL and SIG_IGN need no
 * restorer. */
struct signals_kernel {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};
#define SIGNALS_SET_SIZE 8

/* Sets SIG_DFL or SIG_IGN; what was there. */
static inline void (*signal_handler(int sig, void (*handler)(int)))(int)
{
	struct signals_kernel now = {handler, 0, NULL, 0}, was = {0};

	SYS4(SYS_rt_sigaction, sig, &now, &was, SIGNALS_SET_SIZE);
	return was.handler;
}

/* Nothing that can be held is delivered until what was there is set again. */
static inline uint64_t signals_hold(void)
{
	uint64_t all = ~0ull, was = 0;

	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &was, SIGNALS_SET_SIZE);
	return was;
}
static inline void signals_release(uint64_t was)
{
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &was, NULL, SIGNALS_SET_SIZE);
}

#endif
