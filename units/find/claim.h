/* units/find/claim.h - which process of this host compiles a kernel, so that other processes wait
 * for it instead of compiling it, too.
 *
 * Ranks compile the same kernels in the same order, each for the directory of its own device. A
 * process that finds a kernel in no directory claims it in <runtime>/makers, a table of CLAIM_SLOTS
 * slots (above claim.c). A process of another device that comes later waits until the kernel is in
 * the claimer's directory. A claim is a hint: if it is torn or overwritten, a kernel is compiled
 * twice. It ends with its process, or CLAIM_LIFE_NS after it was made. It also ends with the next
 * claim of its thread: the compile failed, or the process only looked. No process waits for a
 * claimer that does not go on (shim/kernel/process.h). After CLAIM_DISTRUST waits
 * in a row without a kernel, no process waits for CLAIM_REST_NS: some process looks for kernels
 * that it does not compile. THREAD; not in a vfork child. No descriptor is open during a wait. */
#pragma once

#include <stdint.h>

#include "shim/digest.h"
#include "units/find/unit_lookup.h"

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

/* Kernels that another device's directory of this host has.
 *
 * Inductor gives each device a directory of its own, triton/0, triton/1 ...; a kernel's key is the
 * same in all of them. Part of units/find/unit_lookup.h: THREAD; not in a vfork child. */

struct device_copy {
	struct unit_lookup *lookup;
	/* the directory above the devices'; NULL: the unit is not in a device's directory */
	const char *devices;
	const char *own;     /* this device */
	const char *kernel;
	int others;          /* 1: another device has a directory */
};
/* For the unit that l looks for; keeps l. */
void device_copy_find(struct device_copy *s, struct unit_lookup *l);
/* 1: the kernel was copied from a device that has all of it. */
int device_copy_make(struct device_copy *s);
/* After a copy failed and no store has the kernel: waits while a process of another device compiles
 * the kernel. 1: the kernel is there. 0: the caller's process compiles it, and
 * processes of other devices wait for the caller. */
int device_copy_wait(struct device_copy *s);
