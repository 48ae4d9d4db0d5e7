/* jit/driver_cache.h - the driver's cache, which the libraries of CUDA 12.9 and later use through
 * libcuda.
 *
 * A compile that is recorded gets an option that turns this cache off. The result then comes from
 * the inputs and not from another cache, and the compile reads none of the driver's files. */
#ifndef JIT_DRIVER_CACHE_H
#define JIT_DRIVER_CACHE_H

#include "jit/library.h"

#define DRIVER_CACHE_OFF "--no-cache"
static inline int driver_cache_of(const struct jit_library *l)
{
	return l->release >= 1209;
}

#endif
