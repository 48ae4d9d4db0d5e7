/* jit/descriptors_free.h - whether the process may open more files. THREAD; opens nothing, not even
 * for a moment, since another thread may need the last descriptor. */
#ifndef JIT_DESCRIPTORS_FREE_H
#define JIT_DESCRIPTORS_FREE_H

/* 1: at least so many numbers below the limit are free. */
int descriptors_free(unsigned need);

#endif
