/* jit/compile_error.h - the cause of a failed compile, by its log. Pure. THREAD. */
#ifndef JIT_COMPILE_ERROR_H
#define JIT_COMPILE_ERROR_H

/* 1: the log says nothing, or names the machine and not the source as the cause. Such a failure is
 * not stored. */
int compile_error_by_machine(const char *log);

#endif
