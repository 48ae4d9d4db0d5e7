/* shim/kernel/sandbox.h - system call filters (seccomp), some of which kill a process that makes an
 * unknown call.
 *
 * A filter cannot be read, and a killed process cannot be brought back. So if a filter is
 * installed, a child tries all calls of shim/kernel/sandbox.def first. If the child does not
 * survive, this process makes none of them and does not use Reprise. Filters are inherited and
 * never removed: if an ancestor was allowed with the same number of filters, this process is, too.
 * Without a filter, all this costs is reading /proc/self/status, 10 to 20 us.
 *
 * If a host installs a filter later, the calls are not tried again: Reprise then does nothing. */
#pragma once

/* 1: the calls of shim/kernel/sandbox.def are allowed from here on. 0: a call may kill the process.
 * The first call in a process forks (CLONE_VFORK, invisible to wait and SIGCHLD) and waits; later
 * calls are CHILD. begin: in the constructor. vouched: number of filters with which an ancestor was
 * allowed, 0 for none. permits: later, for the calling thread, which may have a filter of its own.
 * THREAD. */
int sandbox_begin(unsigned vouched);
int sandbox_permits(void);
/* After an answer 0: calls what(arg) in a child with its own memory, which the filter may kill.
 * Returns when the child has ended, after at most 2 s. Constructor only. */
void sandbox_apart(void (*what)(void *), void *arg);
/* Number of filters of the last answer 1, for vouched; 0 for none, or if the kernel does not count
 * them (before 5.9). THREAD. */
unsigned sandbox_filters(void);
