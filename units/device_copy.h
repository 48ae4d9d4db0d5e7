/* units/device_copy.h - kernels of other devices of this host.
 *
 * Inductor gives each device a directory of its own, triton/0, triton/1 ...; a kernel's key is the same in all. Parts of
 * units/lookup.h, and as those: THREAD, not in a vfork child. */
#ifndef UNITS_DEVICE_COPY_H
#define UNITS_DEVICE_COPY_H

#include "units/lookup.h"

struct device_copy {
	struct unit_lookup *lookup;
	const char *devices; /* the directory of all; NULL: what is looked for is no kernel of a device's directory */
	const char *own;     /* this device */
	const char *kernel;
	int others;          /* 1: another device has a directory */
};
/* For what l looks for; it keeps l. */
void device_copy_find(struct device_copy *s, struct unit_lookup *l);
/* 1: laid, copied from a device that has it whole. */
int device_copy_make(struct device_copy *s);
/* After a copy failed, and no store has it: waits while a process of another device makes it (units/claim.h). 1: it is made.
 * 0: the caller's process makes it, and others wait for that. */
int device_copy_wait(struct device_copy *s);

#endif
