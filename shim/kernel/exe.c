/* shim/kernel/exe.c - the program that runs in this process. */
#include "shim/kernel/exe.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "shim/kernel/realpath.h"
#include "shim/kernel/sys.h"
#include "shim/loader/object.h"

#include "shim/banned.h"

/* --- qemu-user --- */

int emulator_alone START_DATA = 0;

int emulator_refused(long rc)
{
	return rc == -EINVAL && (emulator_alone || !*object_path());
}

/* A longer path counts as the kernel's own. */
#define PATH_COMPARED 1024

static int leads_to(const char *link, const char *path)
{
	char now[PATH_COMPARED];
	ssize_t n = sys_readlink(link, now, sizeof now);

	return n < 0 ? -1 : strncmp(now, path, (size_t)n) == 0 && path[n] == '\0';
}

/* It answers for the first name, and the kernel for the second. A rename between two answers of the
 * kernel would not show the old path again. */
int emulator_names(const char *path)
{
	return leads_to("/proc/thread-self/exe", path) == 0 &&
	       leads_to("/proc/self/exe", path) == 1;
}

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
