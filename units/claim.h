/* units/claim.h - which process of this host makes a kernel now: others wait for it instead of making it as well.
 *
 * Ranks compile the same kernels in the same order, each for the directory of its own device. Who finds one nowhere claims it
 * in <runtime>/makers, a table of CLAIM_SLOTS by the kernel's name (above maker.c); who comes later, for another device, waits
 * until the first one's directory has it. A claim is a hint: one that is torn or overwritten means a kernel made twice. It ends with its process,
 * with the next claim of its thread (what it compiled before failed, or it only looked), or CLAIM_LIFE_NS after it was made.
 * CLAIM_DISTRUST waits in a row that ended so, and nobody waits for CLAIM_REST_NS: somebody looks for what he does not make.
 * THREAD; not in a vfork child. No descriptor is open while it waits. */
#ifndef UNITS_CLAIM_H
#define UNITS_CLAIM_H

#include <stdint.h>

#include "shim/digest.h"

#define CLAIM_SLOTS 4096u
#define CLAIM_LIFE_NS 10000000000ll
#define CLAIM_DISTRUST 3
#define CLAIM_REST_NS 600000000000ll
#define CLAIM_DEVICE 16
/* 1: `made`, asked with the claimer's device, said so. 0: the caller makes it; the claim is his, if the table can
 * be written and no other process of his own device has it. device: at most CLAIM_DEVICE - 1 letters. */
int claim_or_wait(const char *runtime_dir, const struct digest *kernel, const char *device,
               int (*made)(void *ctx, const char *device), void *ctx);

#endif
