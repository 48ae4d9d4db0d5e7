/* hooks/lock.c - flock: TorchAir takes a lock when it begins to write a module; copying a module
 * takes none. */
#include <sys/file.h>

#include "hooks/event.h"

EXPORT int flock(int fd, int operation)
{
	int rc = HOOK_CALL(flock, SYS2(SYS_flock, fd, operation), (fd, operation));

	if (rc == 0 && operation & LOCK_EX)
		unit_locked(fd);
	return rc;
}
