/* remote/background.h - starts `reprise <verb>` from a large process with threads, without a copy
 * of its memory.
 *
 * clone(CLONE_VM | CLONE_VFORK) twice and an execve, on a stack of our own. The job's wait(2) and
 * SIGCHLD see nothing: the first child has exit signal 0, the second becomes a child of init or of
 * a subreaper. No descriptor, signal mask or disposition is inherited; the process has its own
 * session and no LD_PRELOAD. It has the job's priority: `reprise publish` lowers its own, since a
 * job waits for `reprise fetch`. Only the program that belongs to the object is run
 * (shim/kernel/process.h). The caller waits for the exec, as in posix_spawn. THREAD; not in a vfork
 * child. */
#ifndef REMOTE_BACKGROUND_H
#define REMOTE_BACKGROUND_H

#include "shim/arena.h"
#include "shim/fault.h"

#define BACKGROUND_WORDS 6
/* words: NULL-terminated, from the verb on. 0, or -1 with *fault. */
int background_start(const char *const words[], char *const envp[], struct arena *a,
                     struct fault *fault);

#endif
