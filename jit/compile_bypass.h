/* jit/compile_bypass.h - a compile that ran for real without Reprise: counted, and written to the
 * journal with its reason. THREAD.
 *
 * Around each call of a library's compile. What no rule has counted as a hit or a miss is a
 * bypass. A program's rules say why (program_refuse). */
#ifndef JIT_COMPILE_BYPASS_H
#define JIT_COMPILE_BYPASS_H

#include "jit/call.h"
#include "judge/start.h"

void compile_begins(struct start_times *t, const struct call *c);
/* The call has returned. errno is kept. */
void compile_ends(const struct start_times *t, const struct call *c);

#endif
