/* units/device.h - what computes on this machine, as files of /proc, /sys and /dev say: no driver is asked.
 *
 * root is put before each path: "" but in tests. Some system calls a call. THREAD; not in a vfork child. */
#ifndef UNITS_DEVICE_H
#define UNITS_DEVICE_H

#include "shim/arena.h"

/* "gpu=<model>[,<model>] driver=<version>", models in order, each once; "" where there is no accelerator. NULL:
 * there is one, but not what it is (of another vendor, or in a container that hides /proc/driver); *why. */
const char *device_gpus(const char *root, struct arena *a, const char **why);
/* "npu=<PCI device>[,...]" of Huawei's accelerators, "npu=none" without one. NULL: some device cannot be told (no
 * descriptor is left, say), *why; or no memory. */
const char *device_npus(const char *root, struct arena *a, const char **why);

#endif
