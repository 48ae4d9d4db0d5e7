/* units/device_copy.h - kernels that another device's directory of this host has.
 *
 * Inductor gives each device a directory of its own, triton/0, triton/1 ...; a kernel's key is the
 * same in all of them. Part of units/lookup.h: THREAD; not in a vfork child. */
#ifndef UNITS_DEVICE_COPY_H
#define UNITS_DEVICE_COPY_H

#include "units/lookup.h"

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
 * the kernel (units/claim.h). 1: the kernel is there. 0: the caller's process compiles it, and
 * processes of other devices wait for the caller. */
int device_copy_wait(struct device_copy *s);

#endif
