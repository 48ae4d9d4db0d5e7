/* jit/compile_start.h - a compile inside a process as a start (judge/start.h): its settings, store
 * and command. THREAD. */
#ifndef JIT_COMPILE_START_H
#define JIT_COMPILE_START_H

#include "jit/libraries.h"
#include "judge/start.h"

struct program;
/* 0: neither the process nor its variables allow that a compile of this thread is served or
 * counted. Such a process is a tool, runs below one, or is told to leave Reprise alone. */
int compile_permitted(void);
/* Fills in a start whose arena is there. p NULL: the program is not known. name: the library's, for
 * people. -1: settings turn such compiles off. 0: s->store.dir is NULL where no store can be
 * used, and s->call.cwd_len is 0 where the working directory has no name. */
int compile_start(struct start *s, struct tool_row *row, enum jit_id id, const char *name,
                  const struct program *p);

#endif
