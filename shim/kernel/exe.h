/* shim/kernel/exe.h - the program that runs in this process.
 *
 * It is found through /proc/self/exe. Without /proc, it is the path that the kernel was asked to
 * run (AT_EXECFN), with links followed, if this path leads to an ELF file. For a script, the path
 * names the script and not the program. Below an emulator (shim/kernel/emulator.h) the path
 * decides. Call it before the working directory changes. CHILD, on stacks of 16 KiB or more. */
#ifndef SHIM_KERNEL_EXE_H
#define SHIM_KERNEL_EXE_H

#include <linux/stat.h>
#include <sys/types.h>

/* Writes its resolved path with a NUL; returns the length, or -errno. */
ssize_t exe_path(char *out, size_t cap);
/* statx of the program with these AT_ flags: 0 or -errno. path: the answer of exe_path. */
int exe_statx(const char *path, int flags, unsigned mask, struct statx *st);

#endif
