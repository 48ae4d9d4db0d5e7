/* trace/kernel.h - events at the kernel's own paths: devices, terminals, descriptors, /proc
 * and /sys. THREAD. */
#pragma once

#include "trace/files.h"
#include "trace/trace_record.h"

/* 1: nothing more is to be done with the event. It may have refused the result. 0: the path counts
 * as any other file. This holds for a look at a device. */
int tree_kernel_event(struct tree *t, const struct event *e);

/* 1: the error of an open, a look or a start comes from permissions. Pure. */
int tree_denies(unsigned error);
