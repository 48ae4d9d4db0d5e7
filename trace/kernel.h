/* trace/kernel.h - events at the kernel's own paths: devices, terminals, descriptors, /proc
 * and /sys. THREAD. */
#ifndef TRACE_KERNEL_H
#define TRACE_KERNEL_H

#include "trace/files.h"
#include "trace/trace_record.h"

/* 1: nothing more is to be done with the event. It may have refused the result. 0: the path counts
 * as any other file. This holds for a look at a device. */
int tree_kernel_event(struct tree *t, const struct event *e);

/* The kind of a path: an ordinary file, an ignored kernel file, a terminal
 * or device, or a source of random bytes. An ignored file cannot shape an output. A tree may look
 * at a terminal or device, but neither open nor run it. Pure. */

/* A file that tells of the processes or the machine even where a trace ignores it. */
int tree_special_tells(const char *path);
/* The path names an open descriptor of the process that asks, or the list of them. */
int tree_special_descriptor(const char *path);
enum tree_special { ORDINARY, IGNORED, SPECIAL_TERMINAL, SPECIAL_DEVICE, SPECIAL_RANDOM };
enum tree_special tree_special(const char *path);

/* The cause of the error of an open, a look or a start. Pure. THREAD. */

/* 1: the error comes from the moment or the machine, and no input could hold it. */
int tree_of_machine(unsigned error, enum tree_special special);
/* 1: the error comes from permissions. */
int tree_denies(unsigned error);

#endif
