/* hooks/lock.c - flock and close, which complete files of frameworks. TorchAir takes a lock when it
 * begins to write a module; copying a module takes none. JAX closes a file that it has written in
 * place. */
#include <sys/file.h>

#include "hooks/event.h"
#include "shim/path.h"

EXPORT int flock(int fd, int operation)
{
	int rc = HOOK_CALL(flock, SYS2(SYS_flock, fd, operation), (fd, operation));

	if (rc == 0 && operation & LOCK_EX)
		unit_locked(fd);
	return rc;
}

static HOOK_SLOW int close_slow(int fd)
{
	char path[PATH_SIZE];
	uint64_t made = unit_closing(fd, path);
	int rc = HOOK_CALL(close, SYS1(SYS_close, fd), (fd));

	if (rc == 0 && made)
		unit_closed(path, made);
	return rc;
}

EXPORT int close(int fd)
{
	if (unit_awaits(fd))
		return close_slow(fd);
	return HOOK_CALL(close, SYS1(SYS_close, fd), (fd));
}
