/* judge/tree_kernel.h - events at the kernel's own paths: devices, terminals, descriptors, /proc
 * and /sys. THREAD. */
#ifndef JUDGE_TREE_KERNEL_H
#define JUDGE_TREE_KERNEL_H

#include "judge/tree_event.h"
#include "judge/tree_file.h"

/* 1: nothing more is to be done with the event. It may have refused the result. 0: the path counts
 * as any other file. This holds for a look at a device. */
int tree_kernel_event(struct tree *t, const struct event *e);

#endif
