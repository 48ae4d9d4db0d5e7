/* shim/kernel/exe.c - the program that runs in this process. */
#include "shim/kernel/exe.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "shim/kernel/realpath.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"

#include "shim/banned.h"

#define LINK "/proc/self/exe"

/* The path of AT_EXECFN, if it is a program and not a script. NULL: unknown. */
static const char *asked(void)
{
	const char *execfn = (const char *)getauxval(AT_EXECFN);
	char magic[SELFMAG];
	int fd = execfn ? sys_open(execfn, O_RDONLY | O_CLOEXEC, 0) : -1;
	ssize_t n = fd < 0 ? -1 : sys_read_all(fd, magic, sizeof magic);

	if (fd >= 0)
		sys_close(fd);
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

/* An emulator answers for the name that programs use. The kernel answers for this one. Both names
 * are one file to the kernel, which a rename between two answers does not change twice. */
static int is_emulated(const char *path)
{
	static const char kernel[] = "/proc/thread-self/exe";
	char now[PATH_SIZE];
	ssize_t n = sys_readlink(kernel, now, sizeof now);

	if (n < 0 || (strncmp(now, path, (size_t)n) == 0 && path[n] == '\0'))
		return 0;
	n = sys_readlink(LINK, now, sizeof now);
	return n > 0 && strncmp(now, path, (size_t)n) == 0 && path[n] == '\0';
}

int exe_statx(const char *path, int flags, unsigned mask, struct statx *st)
{
	int rc = sys_statx(AT_FDCWD, LINK, flags, mask, st);

	if (rc < 0)
		path = asked();
	else if (!is_emulated(path))
		path = NULL;
	return path ? sys_statx(AT_FDCWD, path, flags, mask, st) : rc;
}
