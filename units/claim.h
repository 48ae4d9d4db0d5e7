/* units/claim.h - which process of this host compiles a kernel, so that other processes wait for it
 * instead of compiling it, too.
 *
 * Ranks compile the same kernels in the same order, each for the directory of its own device. A
 * process that finds a kernel in no directory claims it in <runtime>/makers, a table of CLAIM_SLOTS
 * slots (above claim.c). A process of another device that comes later waits until the kernel is in
 * the claimer's directory. A claim is a hint: if it is torn or overwritten, a kernel is compiled
 * twice. It ends with its process, or CLAIM_LIFE_NS after it was made. It also ends with the next
 * claim of its thread: the compile failed, or the process only looked. No process waits for a
 * claimer that does not go on (shim/progress.h). After CLAIM_DISTRUST waits
 * in a row without a kernel, no process waits for CLAIM_REST_NS: some process looks for kernels
 * that it does not compile. THREAD; not in a vfork child. No descriptor is open during a wait. */
#ifndef UNITS_CLAIM_H
#define UNITS_CLAIM_H

#include <stdint.h>

#include "shim/digest.h"

#define CLAIM_SLOTS 4096u
#define CLAIM_LIFE_NS 10000000000ll
#define CLAIM_DISTRUST 3
#define CLAIM_REST_NS 600000000000ll
#define CLAIM_DEVICE 16
/* 1: the kernel is there: made() said so of the claimer's device. 0: the caller compiles it. It
 * then holds the claim, unless the table cannot be written or another process of its device has it.
 * device: at most CLAIM_DEVICE - 1 letters. */
int claim_or_wait(const char *runtime_dir, const struct digest *kernel, const char *device,
                  int (*made)(void *ctx, const char *device), void *ctx);

#endif
