/* jit/parallel_options.h - compiles that run at once with different options.
 *
 * In NVRTC 13.5 such compiles change each other's code: their results must not be shared.
 * THREAD. */
#ifndef JIT_PARALLEL_OPTIONS_H
#define JIT_PARALLEL_OPTIONS_H

#include <stdint.h>

#include "jit/program.h"

/* Around a compile. begin gives what end wants. end: 1, no other compile with different options ran
 * meanwhile. */
uint64_t parallel_options_begin(const struct program *p);
int parallel_options_end(uint64_t begun);

#endif
