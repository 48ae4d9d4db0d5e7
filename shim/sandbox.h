/* shim/sandbox.h - system call filters (seccomp), some of which end the process that makes a call
 * they do not know.
 *
 * A filter cannot be read, and a call that it ends the process for cannot be taken back. So where
 * one is installed, a child tries all calls of shim/sandbox.def first; a process whose child did
 * not come through is a plain one, that makes none of them. Filters are inherited and never
 * removed: what an ancestor found behind as many filters holds here as well. Where there is none,
 * all this costs the look into /proc/self/status, 10 to 20 us.
 *
 * What a host installs itself, later, is no longer tried: then Reprise keeps out of it. */
#ifndef SHIM_SANDBOX_H
#define SHIM_SANDBOX_H

/* 1: what shim/sandbox.def lists may be called from here on. 0: it may end the process. Where
 * nothing is known yet of this process, it forks (CLONE_VFORK, unseen by wait and SIGCHLD) and
 * waits; else it is CHILD.
 * begin: in the constructor. vouched: filters behind which an ancestor may, 0 for none.
 * permits: later, of the calling thread, which may have a filter of its own. THREAD. */
int sandbox_begin(unsigned vouched);
int sandbox_permits(void);
/* Where the answer was 0: calls what(arg) in a child with a memory of its own, which the filter may
 * end. Returns when the child has ended, after 2 s at most. Constructor alone. */
void sandbox_apart(void (*what)(void *), void *arg);
/* Filters behind which the last answer was 1, as to vouch for; 0 for none, or where the kernel
 * does not count them (before 5.9). THREAD. */
unsigned sandbox_filters(void);

#endif
