/* shim/kernel/exe.h - the program that runs in this process.
 *
 * It is found through /proc/self/exe. Without /proc, it is the path that the kernel was asked to
 * run (AT_EXECFN), with links followed, if this path leads to an ELF file. For a script, the path
 * names the script and not the program. Below an emulator the path decides. Call it before the
 * working directory changes. CHILD, on stacks of 16 KiB or more. */
#pragma once

#include <linux/stat.h>
#include <sys/types.h>

/* Writes its resolved path with a NUL; returns the length, or -errno. */
ssize_t exe_path(char *out, size_t cap);
/* statx of the program with these AT_ flags: 0 or -errno. path: the answer of exe_path. */
int exe_statx(const char *path, int flags, unsigned mask, struct statx *st);

/* What qemu-user answers otherwise than the kernel whose calls it makes.
 *
 * A clone without an exit signal is EINVAL, and a vfork is a fork. So a child of ours that nobody
 * may see (shim/kernel/hidden_child.h) is one with SIGCHLD there, where nobody handles this signal
 * or waits yet: in a constructor, and in our own programs. */

/* Set by the constructor while no code but ours runs. */
extern int emulator_alone;
/* 1: rc is such an answer to a clone, and this process may ask for a child with SIGCHLD. CHILD. */
int emulator_refused(long rc);
/* path: the answer of a readlink of /proc/self/exe. 1: an emulator gave it, and a stat of that name
 * finds the emulator. CHILD, on stacks of 16 KiB or more. */
int emulator_names(const char *path);
