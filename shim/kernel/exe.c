/* shim/kernel/exe.c - the program that runs in this process. */
#include "shim/kernel/exe.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "shim/kernel/emulator.h"
#include "shim/kernel/realpath.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

#define LINK "/proc/self/exe"

/* The path of AT_EXECFN, if it is a program and not a script. NULL: unknown. */
static const char *asked(void)
{
	const char *execfn = (const char *)getauxval(AT_EXECFN);
	char magic[SELFMAG];
	ssize_t n = execfn ? sys_read_file(execfn, 0, magic, sizeof magic) : -1;

	return n == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0 ? execfn : NULL;
}

ssize_t exe_path(char *out, size_t cap)
{
	ssize_t n = sys_readlink(LINK, out, cap - 1);

	if (n < 0) {
		const char *path = asked();

		return path ? path_real(out, cap, path) : -ENOENT;
	}
	out[n] = '\0';
	return n;
}

int exe_statx(const char *path, int flags, unsigned mask, struct statx *st)
{
	int rc = sys_statx(AT_FDCWD, LINK, flags, mask, st);

	if (rc < 0)
		path = asked();
	else if (!emulator_names(path))
		path = NULL;
	return path ? sys_statx(AT_FDCWD, path, flags, mask, st) : rc;
}
