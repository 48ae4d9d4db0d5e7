/* jit/entry_points.h - numbers of the functions that callers get in place of a library's
 * (jit/entry_code.h).
 *
 * Numbers 0 to ENTRY_POINTS - 1 are handed out by dlsym. A library gets the numbers of all its
 * functions at once. If Reprise saw only some calls of a program, the program would be keyed wrong.
 * A library that was closed gives its numbers back. With too few left the caller gets the library's
 * own functions. Numbers from ENTRY_POINTS on are the exported names of hooks/linked.c, in its
 * order. THREAD. */
#ifndef JIT_ENTRY_POINTS_H
#define JIT_ENTRY_POINTS_H

#include "jit/library.h"

/* Some 50 builds of a library at once, each version of nvJitLink's functions counting as one; 16
 * KiB of code. */
#define ENTRY_POINTS 1024

/* The number of l's entry. -1: too few are left. */
int entry_points_number(struct jit_library *l, int entry);
/* Gives l's numbers back. Under the lock of jit/state.h. */
void entry_points_release(struct jit_library *l);
/* What a number below ENTRY_POINTS stands for. NULL: no library has it. */
struct jit_library *entry_points_find(unsigned number, int *entry);

#endif
