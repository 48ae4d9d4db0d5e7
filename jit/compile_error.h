/* jit/compile_error.h - the cause of a failed compile, by its log. Pure. THREAD. */
#ifndef JIT_COMPILE_ERROR_H
#define JIT_COMPILE_ERROR_H

/* 1: the log says nothing, or names the machine and not the source as the cause. Such a failure is
 * not stored. */
int compile_error_by_machine(const char *log);

/* Whether the process may open more files. THREAD; opens nothing, not even for a moment, since
 * another thread may need the last descriptor. */

/* 1: at least so many numbers below the limit are free. */
int descriptors_free(unsigned need);

#endif
