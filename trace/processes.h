/* trace/processes.h - processes, variables and clocks of a tree. THREAD; memory in the tree's
 * arena. */
#pragma once

#include "trace/files.h"
#include "trace/trace_record.h"

/* The process with this pid, made when it is new; others may move. NULL: no memory. */
struct tree_process *tree_process_of(struct tree *t, uint32_t pid);
/* A process begins, ends, forks or starts a program. */
void tree_process_event(struct tree *t, const struct event *e);
/* A process reads a variable. Each different answer is kept. */
void tree_env_event(struct tree *t, const struct event *e);
/* A process asks for the time. Refuses if the program may write the time into its output. */
void tree_clock_event(struct tree *t, const struct event *e);
/* 1: make, from 4.4 on, makes a FIFO for its own tokens, also for lto-wrapper's parts. The tree
 * ignores the FIFO from now on. */
int tree_makes_jobserver(struct tree *t, const struct event *e);
/* A process asks for time or random bytes (tools/chance.h). library: which of its libraries asks,
 * "" for the program itself. */
void tree_chance(struct tree *t, uint32_t pid, unsigned kind, const char *what,
                 const char *library);
/* EXEC or SPAWN of f. Call it after tree_process_event(). */
void tree_started(struct tree *t, const struct event *e, struct tree_file *f);
/* Refuses if the tool did not report, or if a process did not report or still lives. */
void tree_check_processes(struct tree *t, uint32_t main_pid);
