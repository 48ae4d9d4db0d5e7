/* units/sibling.h - kernels of other devices of this host.
 *
 * Inductor gives each device a directory of its own, triton/0, triton/1 ...; a kernel's key is the same in all. Parts of
 * units/bring.h, and as those: THREAD, not in a vfork child. */
#ifndef UNITS_SIBLING_H
#define UNITS_SIBLING_H

#include "units/bring.h"

struct sibling {
	struct bring *b;
	const char *devices; /* the directory of all; NULL: what is looked for is no kernel of a device's directory */
	const char *own;     /* this device */
	const char *kernel;
	int others;          /* 1: another device has a directory */
};
/* For what b looks for; it keeps b. */
void sibling_find(struct sibling *s, struct bring *b);
/* 1: laid, copied from a device that has it whole. */
int sibling_copy(struct sibling *s);
/* After a copy failed, and no store has it: waits while a process of another device makes it (units/maker.h). 1: it is made.
 * 0: the caller's process makes it, and others wait for that. */
int sibling_wait(struct sibling *s);

#endif
