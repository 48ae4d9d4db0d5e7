/* units/scope/device.h - the accelerators of this machine, by files of /proc, /sys and /dev: no
 * driver is called.
 *
 * root is put before each path; it is "" except in tests. Each call makes some system calls.
 * THREAD; not in a vfork child. */
#ifndef UNITS_SCOPE_DEVICE_H
#define UNITS_SCOPE_DEVICE_H

#include "shim/arena.h"

/* "gpu=<model>[,<model>] driver=<version>", models in order, each once; "" without an accelerator.
 * NULL with *why: an accelerator's model cannot be told (of another vendor, or in a container that
 * hides /proc/driver). */
const char *device_gpus(const char *root, struct arena *a, const char **why);
/* "npu=<PCI device>[,...]" of Huawei's accelerators, "npu=none" without one. NULL: a device cannot
 * be read (with *why; no descriptor may be left), or no memory. */
const char *device_npus(const char *root, struct arena *a, const char **why);

#endif
