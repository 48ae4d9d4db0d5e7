/* shim/exe.h - the program that runs in this process.
 *
 * It is found by /proc/self/exe. Where there is no /proc, it is the path that the kernel was asked to
 * run (AT_EXECFN), with links followed, if an ELF file lies there: of a script, that path names the
 * script and not the program. To be asked before the working directory changes. CHILD, on stacks of
 * 16 KiB or more. */
#ifndef SHIM_EXE_H
#define SHIM_EXE_H

#include <linux/stat.h>
#include <sys/types.h>

/* Its resolved path, ended by a NUL; the length, or -errno. */
ssize_t exe_path(char *out, size_t cap);
/* What statx says of it, with these AT_ flags: 0 or -errno. */
int exe_statx(int flags, unsigned mask, struct statx *st);

#endif
