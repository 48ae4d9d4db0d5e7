/* jit/compile_key.h - the key of a program's compile, of everything but inputs. THREAD. */
#ifndef JIT_COMPILE_KEY_H
#define JIT_COMPILE_KEY_H

#include "judge/start.h"
#include "jit/program.h"

/* The row of tools for a library: its label, and the variables that enter the key. */
void compile_key_row(struct tool_row *row, enum jit_id id);
/* Sets a->k1. The action has its row, names and directory. 0, or -1: the compile has no key. */
int compile_key(struct start *a, struct program *p);

#endif
