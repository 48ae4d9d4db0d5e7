/* shim/exe.h - the program that runs in this process.
 *
 * By /proc/self/exe. Where there is no /proc, what the kernel was asked to run (AT_EXECFN), with its
 * links followed: as a process begins, before its working directory changes. Of a script that is the
 * script, so that it must be a file of the ELF format. CHILD, but for stacks of less than 16 KiB. */
#ifndef SHIM_EXE_H
#define SHIM_EXE_H

#include <linux/stat.h>
#include <sys/types.h>

/* Its resolved path, ended by a NUL; the length, or -errno. */
ssize_t exe_path(char *out, size_t cap);
/* What statx says of it: 0 or -errno. */
int exe_statx(unsigned mask, struct statx *st);

#endif
