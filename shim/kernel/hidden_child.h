/* shim/kernel/hidden_child.h - a child that its parent process cannot notice.
 *
 * A tool's constructor and a supervisor must not leave a child for the tool's own wait(2), nor a
 * SIGCHLD. So the child is cloned with exit signal 0: only a wait with __WALL sees it. (An exec
 * sets the signal back to SIGCHLD, so a program needs a hidden parent of its own.) The child keeps
 * nothing of the job: no descriptor, standard streams on /dev/null, working directory /, and
 * default signal dispositions and mask. Only where no other thread runs: THREAD is not enough.
 * Below an emulator the signal may be SIGCHLD: shim/kernel/exe.h. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#define HIDDEN_CHILD_KEEP_MAX 4

/* Returns the pid, 0 in the child, or -errno. keep[0..n): descriptors above 2 that the child keeps,
 * under their numbers. seconds: SIGALRM ends the child after this time, 0: never. The child ends by
 * sys_exit_group. */
pid_t hidden_child_fork(const int *keep, unsigned n, unsigned seconds);
/* Prepares a child that was cloned in another way. CHILD. */
void hidden_child_enter(const int *keep, unsigned n);
/* Waits for the child's end, at most patience_ns, then kills it. */
void hidden_child_reap(pid_t pid, int64_t patience_ns);

/* Closes descriptors in a process that must not keep those of the job.
 *
 * Processes that wait for the end of a pipe or socket of the job must not wait for a process of
 * Reprise. */

/* Closes all descriptors but keep[0..n). */
void descriptors_close_others(const int *keep, int n);
