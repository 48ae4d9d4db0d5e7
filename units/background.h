/* units/background.h - starts `reprise <verb>` from a big process with threads: never a copy of its memory.
 *
 * clone(CLONE_VM | CLONE_VFORK) twice and an execve, on a stack of our own: the job's wait(2) and SIGCHLD see nothing
 * (exit signal 0, then a child of init or of a subreaper), no descriptor, signal mask or disposition passes on, the session is its
 * own, it runs at a lower priority, LD_PRELOAD is left out, and only the program that belongs to the object is run
 * (remote/starter.h). The caller waits for the exec, as in posix_spawn. THREAD; not in a vfork child. */
#ifndef UNITS_BACKGROUND_H
#define UNITS_BACKGROUND_H

#include "shim/arena.h"
#include "shim/fault.h"

#define BACKGROUND_WORDS 6
/* words: NULL-terminated, from the verb on. 0, or -1 with *fault. */
int background_start(const char *const words[], char *const envp[], struct arena *a, struct fault *fault);

#endif
