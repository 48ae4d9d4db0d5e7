/* store/agent_start.h - starts the agent from any process, without a copy of its memory.
 *
 * clone(CLONE_VM | CLONE_VFORK) twice and an execve, on a stack of our own. The job's wait(2) and
 * SIGCHLD see nothing: the first child has exit signal 0, the second becomes a child of init or of
 * a subreaper. No descriptor, signal mask or disposition is inherited. The agent has its own
 * session, the directory /, and no LD_PRELOAD. Only the program that belongs to the object is run:
 * libexec/reprise-agent of its build tree or prefix. The caller waits for the exec, as in
 * posix_spawn. THREAD; not in a vfork child. */
#pragma once

#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/path.h"

/* 0, or -1 with *fault. */
int agent_start(char *const envp[], struct arena *a, struct fault *fault);
/* A program of ours that speaks to other machines: beside the object (or this program) in the build
 * tree, else below its prefix. name: shorter than AGENT_PROGRAM. 0, or -1: it is missing. */
#define AGENT_PROGRAM 24
int agent_program(char out[PATH_SIZE], const char *name);
/* The agent. */
int agent_find(char out[PATH_SIZE]);
