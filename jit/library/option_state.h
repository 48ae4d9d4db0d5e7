/* jit/library/option_state.h - options that affect later compiles of the process.
 *
 * NVRTC 12.4 to 13.5 applies --restrict and --optimization-info of one compile to every later
 * compile of the process (12.1 does not). nvJitLink 12.1 does so with -kernels-used and
 * -variables-used. The code of such a later compile must not reach a process that never gave the
 * option. tests/long/nvrtc_options.py asks a library which options have this effect. THREAD. */
#pragma once

#include <stdint.h>

#include "jit/library.h"
#include "jit/program.h"

/* The library gets these options now. */
void option_state_note(int n, const char *const *options);
/* 1: an earlier compile gave such an option, and these options do not: the result must not be
 * shared. */
int option_state_affects(int n, const char *const *options);
/* 1: one of these options is added to those of earlier links. */
int option_state_adds_up(int n, const char *const *options);

/* Compiles that run at once with different options.
 *
 * In NVRTC 13.5 such compiles change each other's code: their results must not be shared. */

/* Around a compile. begin gives what end wants. end: 1, no other compile with different options ran
 * meanwhile. */
uint64_t parallel_options_begin(const struct program *p);
int parallel_options_end(uint64_t begun);

/* The driver's cache, which the libraries of CUDA 12.9 and later use through libcuda.
 *
 * A compile that is recorded gets an option that turns this cache off. The result then comes from
 * the inputs and not from another cache, and the compile reads none of the driver's files. */

#define DRIVER_CACHE_OFF "--no-cache"
static inline int driver_cache_of(const struct jit_library *l)
{
	return l->release >= 1209;
}
