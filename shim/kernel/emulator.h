/* shim/kernel/emulator.h - what qemu-user answers otherwise than the kernel whose calls it makes.
 *
 * A clone without an exit signal is EINVAL, and a vfork is a fork. So a child of ours that nobody
 * may see (shim/kernel/hidden_child.h) is one with SIGCHLD there, where nobody handles this signal
 * or waits yet: in a constructor, and in our own programs. */
#ifndef SHIM_KERNEL_EMULATOR_H
#define SHIM_KERNEL_EMULATOR_H

/* Set by the constructor while no code but ours runs. */
extern int emulator_alone;
/* 1: rc is such an answer to a clone, and this process may ask for a child with SIGCHLD. CHILD. */
int emulator_refused(long rc);
/* path: the answer of a readlink of /proc/self/exe. 1: an emulator gave it, and a stat of that name
 * finds the emulator. CHILD, on stacks of 16 KiB or more. */
int emulator_names(const char *path);

#endif
