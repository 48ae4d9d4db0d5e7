/* shim/kernel/signals.h - signal dispositions by raw system call: libc's sigaction treats some
 * signals specially, and may be hooked by others. Dispositions: only in constructor and supervisor
 * of TOOL processes. */
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include "shim/kernel/sys.h"

/* The kernel's struct sigaction. No handler of Reprise ever runs: SIG_DFL and SIG_IGN need no
 * restorer. */
struct signals_kernel {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};
#define SIGNALS_SET_SIZE 8

/* Sets SIG_DFL or SIG_IGN; returns the previous handler. */
static inline void (*signal_handler(int sig, void (*handler)(int)))(int)
{
	struct signals_kernel now = {handler, 0, NULL, 0}, was = {0};

	SYS4(SYS_rt_sigaction, sig, &now, &was, SIGNALS_SET_SIZE);
	return was.handler;
}

/* Blocks all signals that can be blocked, until signals_release restores the mask. */
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

/* Between these two calls a write to a pipe without a reader only fails. broken: a write failed so,
 * and its signal is taken back. */
static inline uint64_t signals_pipe_hold(void)
{
	uint64_t set = 1ull << (SIGPIPE - 1), was = 0;

	SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &set, &was, SIGNALS_SET_SIZE);
	return was;
}
static inline void signals_pipe_release(uint64_t was, int broken)
{
	static const struct timespec at_once = {0, 0};
	uint64_t set = 1ull << (SIGPIPE - 1);

	if (broken)
		SYS4(SYS_rt_sigtimedwait, &set, NULL, &at_once, SIGNALS_SET_SIZE);
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &was, NULL, SIGNALS_SET_SIZE);
}

/* With a file size limit (ulimit -f) the kernel sends SIGXFSZ to a thread that writes past the
 * limit. The signal kills the process unless it is ignored. Between these two calls our writes only
 * fail. THREAD, CHILD. */
struct signals_size {
	int limited;
	uint64_t mask, pending; /* before */
};
#define SIGNALS_XFSZ (1ull << (SIGXFSZ - 1))
static inline struct signals_size signals_size_hold(void)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
	struct signals_size s = {0, 0, 0};
	uint64_t set = SIGNALS_XFSZ;

	SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
	s.limited = limit.rlim_cur != RLIM_INFINITY;
	if (s.limited) {
		SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &set, &s.mask, SIGNALS_SET_SIZE);
		SYS2(SYS_rt_sigpending, &s.pending, SIGNALS_SET_SIZE);
	}
	return s;
}
static inline void signals_size_release(const struct signals_size *s)
{
	static const struct timespec at_once = {0, 0};
	uint64_t set = SIGNALS_XFSZ;

	if (!s->limited)
		return;
	if (!(s->pending & SIGNALS_XFSZ))
		SYS4(SYS_rt_sigtimedwait, &set, NULL, &at_once, SIGNALS_SET_SIZE);
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &s->mask, NULL, SIGNALS_SET_SIZE);
}
