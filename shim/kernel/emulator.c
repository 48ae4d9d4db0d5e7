/* shim/kernel/emulator.c - what qemu-user answers otherwise than the kernel. */
#include "shim/kernel/emulator.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/loader/object.h"

#include "shim/banned.h"

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
